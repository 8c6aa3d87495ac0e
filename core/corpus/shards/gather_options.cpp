#include "core/corpus/shards/gather_options.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/corpus/shards/folder_gatherer.h"
#include "core/corpus/shards/shard_files.h"
#include "core/corpus/shards/text_gatherer.h"
#include "core/io/atomic_file.h"
#include "core/io/temporary_name.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

int64_t gather_to_file(const std::vector<std::string>& shards, const std::string& output) {
  AtomicFile file(output);
  const int64_t sentences = gather_text(shards, [&](std::string_view text) { file.write(text); });
  file.commit();
  return sentences;
}

int64_t gather_to_standard_output(const std::vector<std::string>& shards) {
  const int64_t sentences = gather_text(shards, [](std::string_view text) { std::cout << text; });
  std::cout.flush();
  return sentences;
}

/// Whether the shards are folders. Throws DataError when some are.
bool are_folders(const std::vector<std::string>& shards) {
  const bool first = fs::is_directory(shards.front());
  for (const std::string& shard : shards) {
    if (fs::is_directory(shard) != first) {
      throw DataError(fmt::format("{} is a {}, but {} is not",
                                  first ? shards.front() : shard,
                                  "folder",
                                  first ? shard : shards.front()),
                      "Remove the shards of the earlier run.");
    }
  }
  return first;
}

/// Throws a UsageError if a folder is one of the shards or within one: it would be removed with it.
void check_outside(const std::vector<std::string>& shards, const std::string& folder) {
  const fs::path result = fs::weakly_canonical(end_of_links(folder));
  for (const std::string& shard : shards) {
    const fs::path path = fs::canonical(shard);
    if (std::ranges::mismatch(path, result).in1 == path.end())
      throw UsageError(fmt::format("the output {} is in {}, which is read", folder, shard),
                       "Choose a folder outside of the shards.");
  }
}

/// The result is complete: a shard that stays does no harm.
void remove_all(const std::vector<std::string>& shards) {
  for (const std::string& shard : shards) {
    std::error_code problem;
    fs::remove_all(shard, problem);
    if (problem)
      log_warning(fmt::format("{}: cannot be removed: {}", shard, problem.message()));
  }
}

}  // namespace

void GatherOptions::describe(OptionTable& table) {
  table
      .field("name",
             name,
             "The --output or --destdir of the command that was run with --num-shards: the shards "
             "are NAME.shard-I-of-N.")
      .positional()
      .required()
      .value_name("NAME");
  table.field("output", output, "File or data folder to write; - = standard output; default: NAME.")
      .value_name("FILE")
      .writes_file();
  table.field("num-shards", num_shards, "Number of shards; 0 = determined from their names.")
      .at_least(0);
  table.field("delete-shards", delete_shards, "Remove the shards when the result is complete.");
  table.field("overwrite", overwrite, "Replace an existing data folder.");
}

void gather(const GatherOptions& options) {
  const auto shards = find_shards(options.name, options.num_shards);
  const std::string& output = options.result();
  if (are_folders(shards)) {
    if (output == "-")
      throw UsageError("the shards are data folders: give --output DIR");
    check_outside(shards, output);
    gather_folders(shards, output, options.overwrite);
  } else {
    check_not_an_input(output, shards);
    const int64_t sentences =
        output == "-" ? gather_to_standard_output(shards) : gather_to_file(shards, output);
    log_info(fmt::format("{} of {}",
                         counted(sentences, "sentence"),
                         counted(static_cast<int64_t>(shards.size()), "shard")));
  }
  // What standard output did not take is in the shards alone; the command ends with that error.
  if (options.delete_shards && std::cout.good())
    remove_all(shards);
}

}  // namespace phraseq
