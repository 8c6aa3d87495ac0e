#include "core/corpus/preprocess.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/preprocess_inputs.h"
#include "core/corpus/preprocessing/earlier_result.h"
#include "core/corpus/preprocessing/preprocess_run.h"
#include "core/corpus/shards/shard_files.h"
#include "core/io/folders/staging_folder.h"

namespace phraseq {

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
  reject_replacement(options, staging, destination);
  mark_mixed_folder(destination);
  staging.commit(kDataManifest);
  log_info(fmt::format("Wrote preprocessed data to {}", destination));
}

}  // namespace phraseq
