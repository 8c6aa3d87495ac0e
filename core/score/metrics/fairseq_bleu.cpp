#include "core/score/metrics/fairseq_bleu.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/score/metrics/ngram_matcher.h"
#include "core/text/unicode.h"

namespace phraseq::score {
namespace {

constexpr std::string_view kPadding = "<pad>", kEnd = "</s>", kUnknown = "<unk>";

/// The symbols that fairseq counts: its dictionary appends </s> to every line.
std::vector<std::string_view> fairseq_symbols(std::string_view line) {
  auto symbols = split_whitespace(line);
  symbols.push_back(kEnd);
  const auto first = std::ranges::find_if(symbols, [](auto s) { return s != kPadding; });
  symbols.erase(symbols.begin(), first);
  while (symbols.size() > 1 && (symbols.back() == kEnd || symbols.back() == kPadding))
    symbols.pop_back();
  return symbols;
}

}  // namespace

FairseqBleu::FairseqBleu(bool smoothed)
    : matches_(kHighestOrder, smoothed ? 1 : 0), counts_(kHighestOrder, smoothed ? 1 : 0) {
  matches_.front() = counts_.front() = 0;
}

void FairseqBleu::add(std::string_view system, std::string_view reference) {
  const auto system_symbols = fairseq_symbols(system);
  auto reference_symbols = fairseq_symbols(reference);
  system_length_ += static_cast<int64_t>(system_symbols.size());
  reference_length_ += static_cast<int64_t>(reference_symbols.size());
  // A word with a space matches nothing, because no text contains one.
  std::ranges::replace(reference_symbols, kUnknown, std::string_view("<unk> "));
  WordNumbers words;
  const auto numbers = words.number(system_symbols);
  const std::vector<std::vector<uint32_t>> references = {words.number(reference_symbols)};
  const auto orders = match_ngrams(numbers, references, kHighestOrder);
  for (size_t n = 0; n < orders.size(); ++n) {
    matches_[n] += orders[n].matches;
    counts_[n] += orders[n].hypothesis;
  }
}

double FairseqBleu::precision(int order) const {
  const auto n = static_cast<size_t>(order - 1);
  return counts_[n] == 0 ? 0.0 : static_cast<double>(matches_[n]) / static_cast<double>(counts_[n]);
}

double FairseqBleu::brevity() const {
  const double ratio = static_cast<double>(reference_length_) / static_cast<double>(system_length_);
  return std::min(1.0, std::exp(1 - ratio));
}

double FairseqBleu::score(int order) const {
  double sum = 0;
  for (int n = 1; n <= order; ++n) sum += std::log(precision(n));  // log(0) is -infinity
  return brevity() * std::exp(sum / order) * 100;
}

std::string FairseqBleu::result(int order) const {
  std::string precisions;
  for (int n = 1; n <= order; ++n)
    precisions += fmt::format("{}{:.1f}", n == 1 ? "" : "/", precision(n) * 100);
  return fmt::format("BLEU{} = {:.2f}, {} (BP={:.3f}, ratio={:.3f}, syslen={}, reflen={})",
                     order,
                     score(order),
                     precisions,
                     brevity(),
                     static_cast<double>(system_length_) / static_cast<double>(reference_length_),
                     system_length_,
                     reference_length_);
}

}  // namespace phraseq::score
