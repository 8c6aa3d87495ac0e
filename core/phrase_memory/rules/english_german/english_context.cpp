#include "core/phrase_memory/rules/english_german/english_context.h"

#include <array>

#include "core/text/unicode.h"

namespace phraseq {
namespace {

using Word = std::string_view;

constexpr std::array<Word, 44> kBehindDate = {
    "",   ".",   ",",      ";",    ":",    ")",    "!",       "?",    "in",    "at", "and",
    "or", "to",  "until",  "the",  "a",    "is",   "was",     "were", "will",  "as", "when",
    "by", "for", "from",   "with", "on",   "that", "has",     "had",  "of",    "if", "after",
    "we", "he",  "before", "she",  "they", "this", "through", "but",  "which", "'s", "because"};
constexpr std::array<Word, 9> kDeterminers = {
    "a", "an", "the", "its", "his", "her", "their", "our", "my"};
constexpr std::array<Word, 4> kQuotes = {"\"", "'", "&quot;", "|"};

}  // namespace

bool may_follow_date(std::string_view word) { return is_one_of(word, kBehindDate); }

bool is_possessive(std::string_view word) {
  return word == "'s" || word == "’s" || word == "&apos;s";
}

bool has_noun_behind(const WordContext& words, size_t begin, size_t end) {
  const Word after = words.at(end);
  const bool is_noun = is_small_word(after) && !may_follow_date(after);
  return is_one_of(to_lowercase(words.before(begin)), kDeterminers) && is_noun;
}

bool is_mentioned(const WordContext& words, size_t begin, size_t end) {
  return is_one_of(words.before(begin), kQuotes) && is_one_of(words.at(end), kQuotes);
}

}  // namespace phraseq
