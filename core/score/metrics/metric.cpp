#include "core/score/metrics/metric.h"

#include <utility>

namespace phraseq {

std::string primary_language(std::string_view code) {
  // Three-letter codes of the languages for which sacrebleu has a tokenizer.
  constexpr std::pair<std::string_view, std::string_view> kShorter[] = {
      {"cmn", "zh"}, {"jpn", "ja"}, {"kor", "ko"}, {"zho", "zh"}};
  const std::string_view primary = code.substr(0, code.find_first_of("-_"));
  for (const auto& [longer, shorter] : kShorter) {
    if (primary == longer)
      return std::string(shorter);
  }
  return std::string(primary);
}

double Metric::score_single(std::span<const float> sums) const {
  const std::vector<double> widened(sums.begin(), sums.end());
  return score(widened);
}

}  // namespace phraseq
