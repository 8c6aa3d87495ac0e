#include "core/translate/extras/scored_text.h"

#include <span>
#include <utility>

#include "core/text/dictionary.h"
#include "core/text/replace_all.h"
#include "core/translate/extras/unknown_spelling.h"

namespace phraseq {
namespace {

// Characters of the private use area: neither letters nor punctuation, so that no tokenizer splits
// them.
constexpr std::string_view kScoredUnknownOfHypothesis = "\uE000";
constexpr std::string_view kScoredUnknownOfReference = "\uE001";

}  // namespace

ScoredText::ScoredText(const Task& task)
    : is_sentencepiece_(
          task.text(std::span(&kUnk, 1), PairSide::kTarget).find(kSentencePieceUnknown) !=
          std::string::npos) {}

std::string ScoredText::hypothesis(const std::string& text) const {
  return marked(text, kScoredUnknownOfHypothesis);
}

std::string ScoredText::reference(const std::string& text) const {
  return marked(text, kScoredUnknownOfReference);
}

std::string ScoredText::marked(std::string text, std::string_view replacement) const {
  if (is_sentencepiece_)
    text = replace_all(std::move(text), kSentencePieceUnknown, replacement);
  return replace_all(std::move(text), kUnknownSymbol, replacement);
}

}  // namespace phraseq
