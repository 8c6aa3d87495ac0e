#include "core/corpus/preprocessing/run_files.h"

#include <utility>

#include "core/corpus/data_folder.h"

namespace phraseq {

std::string language_text(const RunSide& side) {
  return side.language.empty() ? "text" : side.language;
}

std::string languages_text(const RunSides& sides) {
  const std::string first = language_text(*sides[0]);
  return sides.size() > 1 ? first + ", " + language_text(*sides[1]) : first;
}

RunFiles::RunFiles(const PreprocessOptions& options,
                   std::vector<SplitText> splits,
                   std::vector<SplitReport> reports,
                   const Shard& shard,
                   std::string folder)
    : options_(options),
      splits_(std::move(splits)),
      reports_(std::move(reports)),
      shard_(shard),
      folder_(std::move(folder)) {}

std::string RunFiles::target_language() const {
  return options_.target_lang.empty() ? kNoTargetLanguage : options_.target_lang;
}

CheckedText RunFiles::text(size_t split, const RunSide& side) const {
  const SplitReport& report = reports_[split];
  const Shard part = splits_[split].name == kTrainingSplit ? shard_ : Shard{};
  return {
      splits_[split].files[side.number], options_.reading(), report.lines, report.skipped, part};
}

std::string RunFiles::result(size_t split, const RunSide& side) const {
  return indexed_prefix(
      folder_, splits_[split].name, options_.source_lang, target_language(), side.language);
}

std::string RunFiles::alignments(size_t split) const {
  return alignments_prefix(
      folder_, splits_[split].name, options_.source_lang, options_.target_lang);
}

}  // namespace phraseq
