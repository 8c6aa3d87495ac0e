#include "core/text/vocabulary_report.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr int64_t kSpecialSymbols = kUnk + 1;

struct TypeCounts {
  int64_t control = 0;  ///< control pieces, which no text contains
  int64_t unused = 0;   ///< pieces that do not occur in the training text
  int64_t outside = 0;  ///< symbols of the text that are not pieces
  int64_t rare = 0;     ///< dropped by the threshold
  int64_t cut = 0;      ///< dropped by the number of words
  int64_t padding = 0;
};

TypeCounts count_types(const LearnedVocabulary& learned,
                       const Dictionary& counted,
                       const Dictionary& finished) {
  const std::set<std::string> pieces(learned.pieces.begin(), learned.pieces.end());
  TypeCounts counts;
  counts.control = learned.requested - static_cast<int64_t>(pieces.size());
  counts.unused = std::count_if(
      pieces.begin(), pieces.end(), [&](const auto& piece) { return !counted.contains(piece); });
  int64_t kept = 0;
  for (int64_t id = kSpecialSymbols; id < counted.size(); ++id) {
    counts.outside += pieces.contains(counted.symbol(id)) ? 0 : 1;
    counts.rare += counted.count(id) < learned.threshold ? 1 : 0;
    kept += finished.contains(counted.symbol(id)) ? 1 : 0;
  }
  counts.cut = counted.size() - kSpecialSymbols - counts.rare - kept;
  counts.padding = finished.size() - kSpecialSymbols - kept;
  return counts;
}

}  // namespace

std::string explain_types(const LearnedVocabulary& learned,
                          const Dictionary& counted,
                          const Dictionary& finished) {
  if (finished.size() == learned.requested)
    return {};
  const TypeCounts counts = count_types(learned, counted, finished);
  std::string text =
      fmt::format("{} types = {} pieces of --subwords", finished.size(), learned.requested);
  const auto add = [&](char sign, int64_t count, const char* what) {
    if (count > 0)
      text += fmt::format(" {} {} {}", sign, count, what);
  };
  add('-', counts.unused, "that do not occur in the segmented training text");
  add('-', counts.control, "control symbols of SentencePiece");
  add('-', counts.rare, "below the threshold");
  add('-', counts.cut, "beyond the maximum number of words");
  add('+',
      counts.outside,
      counts.outside == 1 ? "symbol that is not a piece" : "symbols that are not pieces");
  add('+', kSpecialSymbols, "special symbols");
  add('+', counts.padding, "for padding");
  return text;
}

}  // namespace phraseq
