#include "core/score/metrics/ter.h"

#include <algorithm>
#include <limits>

#include "core/score/metrics/ter_shifts.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

/// Assigns numbers to words so that the numbers sort as the words do (UTF-8 bytes sort as code
/// points do).
class SortedNumbers {
 public:
  void add(const std::vector<std::string_view>& words) {
    sorted_.insert(sorted_.end(), words.begin(), words.end());
  }
  void sort() {
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
  }
  WordRow number(const std::vector<std::string_view>& words) const {
    WordRow row;
    for (const auto& word : words) {
      const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), word);
      row.push_back(static_cast<uint32_t>(found - sorted_.begin()));
    }
    return row;
  }

 private:
  std::vector<std::string_view> sorted_;
};

template <class Real>
double rate(Real edits, Real reference_length) {
  if (reference_length > 0)
    return Real{100} * (edits / reference_length);
  return edits > 0 ? 100.0 : 0.0;
}

}  // namespace

void Ter::measure(std::string_view hypothesis,
                  std::span<const std::string_view> references,
                  std::span<double> row) const {
  const std::string text = tokenize_tercom(strip_right(hypothesis), settings_);
  const auto words = split_whitespace(text);
  int64_t fewest = std::numeric_limits<int64_t>::max();
  int64_t total_length = 0;
  for (const auto& line : references) {
    // sacrebleu tokenizes references twice, which makes a difference for entities and case.
    const std::string once = tokenize_tercom(strip_right(line), settings_);
    const std::string reference = tokenize_tercom(once, settings_);
    const auto target = split_whitespace(reference);
    SortedNumbers numbers;
    numbers.add(words);
    numbers.add(target);
    numbers.sort();
    fewest = std::min(fewest, count_ter_edits(numbers.number(words), numbers.number(target)));
    total_length += static_cast<int64_t>(target.size());
  }
  row[0] = static_cast<double>(fewest);
  row[1] = static_cast<double>(total_length) / static_cast<double>(references.size());
}

double Ter::score(std::span<const double> sums) const { return rate(sums[0], sums[1]); }
double Ter::score_single(std::span<const float> sums) const { return rate(sums[0], sums[1]); }

std::vector<SignatureField> Ter::signature() const {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  return {{"case", "c", settings_.case_sensitive ? "mixed" : "lc"},
          {"tok", "t", "tercom"},
          {"norm", "nr", yes_or_no(settings_.normalized)},
          {"punct", "pn", yes_or_no(!settings_.no_punct)},
          {"asian", "as", yes_or_no(settings_.asian_support)}};
}

}  // namespace phraseq::score
