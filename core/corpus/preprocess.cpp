#include "core/corpus/preprocess.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/manifest/manifest_values.h"
#include "core/corpus/preprocess_inputs.h"
#include "core/corpus/preprocessing/earlier_result.h"
#include "core/corpus/preprocessing/preprocess_run.h"
#include "core/corpus/shards/shard_files.h"
#include "core/io/folders/folder_entries.h"
#include "core/io/folders/staging_folder.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// Whether a folder is a shard that preprocess wrote, or what is left of one.
bool is_shard(const std::string& folder) {
  const std::string file = folder + "/" + kDataManifest;
  if (!fs::exists(file))
    return false;
  const auto manifest = nlohmann::json::parse(read_file(file), nullptr, /*allow_exceptions=*/false);
  return value_at(manifest, {"shard"}).is_object() || value_at(manifest, {"complete"}) == false;
}

void remove_whole(const fs::path& path) {
  std::error_code problem;
  fs::remove_all(path, problem);
  if (problem)
    throw IoError(path.string(), "remove", problem.value());
}

/// The manifest last: what a killed run leaves is a shard that is not complete.
void empty_shard(const std::string& folder) {
  mark_unfinished_folder(folder);
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().filename() != kDataManifest)
      remove_whole(entry.path());
  }
}

/// So that a run that fails leaves no shard, which could be taken for its result.
void remove_earlier_shard(const std::string& folder) {
  std::error_code missing;
  const fs::file_status status = fs::symlink_status(folder, missing);
  if (fs::is_directory(status) && !fs::is_empty(folder)) {
    if (!is_shard(folder)) {
      throw UsageError(folder + ": exists, and is not a shard of an earlier run",
                       "Give another --destdir, or remove this folder.");
    }
    empty_shard(folder);
  }
  if (fs::is_directory(status) || fs::is_symlink(status))
    remove_whole(folder);
}

}  // namespace

void preprocess(const PreprocessOptions& options,
                const ChosenTokenizer& tokenizer,
                const nlohmann::json& recorded_options) {
  const std::vector<SplitText> splits = find_splits(options);
  if (options.check_only) {
    check_splits(options, splits);
    return;
  }
  const Shard shard = options.shards.shard(process_environment());
  const std::string destination = shard_path(options.destdir, shard);
  reject_earlier_result(options, destination);
  if (!shard.is_all())
    remove_earlier_shard(destination);
  StagingFolder staging(destination);
  mark_unfinished_folder(staging.path());
  PreprocessRun run(
      options, tokenizer, {options, splits, check_splits(options, splits), shard, staging.path()});
  run.read_phrase_memory();
  run.prepare_tokenizers();
  run.prepare_dictionaries();
  run.write_splits();
  run.write_manifest(recorded_options);
  reject_earlier_result(options, destination);  // of a run that ended in the meantime
  reject_replacement(options, staging.path(), destination);
  mark_mixed_folder(destination);
  staging.commit(kDataManifest);
  log_info(fmt::format("Wrote preprocessed data to {}", destination));
}

}  // namespace phraseq
