#include "core/corpus/preprocess_inputs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"

namespace phraseq {
namespace {

constexpr size_t kPlaces = 3;
constexpr size_t kPlacesOfACheck = 100;

std::string text_file(const std::string& prefix, const std::string& language) {
  const std::string plain = language.empty() ? prefix : prefix + "." + language;
  for (const std::string& file : {plain, plain + ".gz"}) {
    if (std::filesystem::exists(file))
      return file;
  }
  if (std::filesystem::is_regular_file(prefix)) {
    throw IoError(
        plain,
        "open",
        ENOENT,
        "Give the prefix without the language, for example train for train.en and train.de.");
  }
  throw IoError(plain, "open", ENOENT, fmt::format("Neither this file nor {}.gz exists.", plain));
}

/// The alignments of a split: needed for training, optional elsewhere.
std::string alignment_file(const std::string& prefix,
                           const std::string& suffix,
                           const std::string& split) {
  const std::string plain = prefix + "." + suffix;
  const bool is_there = std::filesystem::exists(plain) || std::filesystem::exists(plain + ".gz");
  if (is_there || split == kTrainingSplit)
    return text_file(prefix, suffix);
  log_info(fmt::format("{}: there is no {}: the split has no alignments", split, plain));
  return {};
}

SplitText find_split(const PreprocessOptions& options,
                     const std::string& name,
                     const std::string& prefix) {
  SplitText split{name, {text_file(prefix, options.source_lang)}};
  if (!options.only_source)
    split.files.push_back(text_file(prefix, options.target_lang));
  if (options.trees)
    split.trees =
        text_file(prefix, options.source_lang.empty() ? "trees" : options.source_lang + ".trees");
  if (!options.align_suffix.empty())
    split.alignments = alignment_file(prefix, options.align_suffix, name);
  return split;
}

/// A text is read for each of the check, the subwords, the dictionary, the ids and the manifest.
void reject_pipes(const SplitText& split) {
  std::vector<std::string> files = split.files;
  files.push_back(split.trees);
  files.push_back(split.alignments);
  for (const std::string& file : files) {
    if (file.empty() || std::filesystem::is_regular_file(file))
      continue;
    throw UsageError(
        fmt::format("{} is not a regular file, and preprocess reads its text several times", file),
        "A pipe, such as <(...), can be read only once: write the text to a file, plain or .gz. "
        "--check-only reads pipes, too.");
  }
}

/// Throws for the training text, and warns of any other.
void report_no_text(const SplitText& split) {
  if (split.name == kTrainingSplit) {
    throw DataError(fmt::format("{}: there is no text to train on", split.files[0]),
                    "Every line is empty or was skipped.");
  }
  log_warning(
      fmt::format("{}: the split '{}' contains no text: all lines are empty or were skipped",
                  split.files[0],
                  split.name));
}

}  // namespace

std::vector<SplitText> find_splits(const PreprocessOptions& options) {
  std::vector<SplitText> splits;
  if (!options.trainpref.empty())
    splits.push_back(find_split(options, kTrainingSplit, options.trainpref));
  for (const auto& [name, prefixes] :
       {std::pair{"valid", options.validpref}, {"test", options.testpref}}) {
    for (size_t i = 0; i < prefixes.size(); ++i) {
      const std::string numbered = i == 0 ? name : fmt::format("{}{}", name, i);
      splits.push_back(find_split(options, numbered, prefixes[i]));
    }
  }
  if (!options.check_only)
    std::for_each(splits.begin(), splits.end(), reject_pipes);
  return splits;
}

std::vector<SplitReport> check_splits(const PreprocessOptions& options,
                                      const std::vector<SplitText>& splits) {
  const size_t places = options.check_only ? kPlacesOfACheck : kPlaces;
  std::vector<SplitReport> reports;
  size_t bad = 0;
  for (const SplitText& split : splits) {
    const SplitReport report = check_split(split, options.reading(), places);
    log_info(to_string(report, split));
    if (report.kept() == report.empty)
      report_no_text(split);
    bad += report.skipped.size();
    reports.push_back(report);
  }
  if (options.check_only && bad > 0) {
    throw DataError(
        fmt::format("found {}; nothing was written", counted(bad, "invalid line")),
        "Use --on-bad-line skip to leave them out, or --on-bad-line replace to repair them.");
  }
  return reports;
}

}  // namespace phraseq
