#include "core/data/phrase_case.h"

#include <cstdint>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

/// The first symbol of the dictionary for each way to spell it in lower case.
std::unordered_map<std::string, int64_t> by_lower_case(const Dictionary& dictionary) {
  std::unordered_map<std::string, int64_t> ids;
  for (int64_t id = kUnk + 1; id < dictionary.size(); ++id)
    ids.emplace(to_lowercase(dictionary.symbol(id)), id);
  return ids;
}

/// Target words of a phrase table that a vocabulary contains only in a different case.
struct OtherCase {
  int64_t words = 0;        ///< of all targets
  int64_t other = 0;        ///< of these, those in a different case
  std::string word, known;  ///< the first of them and the vocabulary's word
};

OtherCase count_other_case(const PhraseTable& table, const Dictionary& dictionary) {
  const auto ids = by_lower_case(dictionary);
  OtherCase found;
  for (const PhraseEntry& entry : table.entries()) {
    for (const std::string& word : entry.target) {
      ++found.words;
      const auto known = ids.find(to_lowercase(word));
      if (known == ids.end() || dictionary.contains(word))
        continue;
      if (found.other++ == 0) {
        found.word = word;
        found.known = dictionary.symbol(known->second);
      }
    }
  }
  return found;
}

}  // namespace

void warn_of_other_case(const PhraseTable& table, const Dictionary& dictionary) {
  const OtherCase found = count_other_case(table, dictionary);
  if (found.other == 0 || 10 * found.other < found.words)
    return;
  log_warning(fmt::format(
      "phrase table: {} of {} target words are outside the vocabulary only because of their case, "
      "for example '{}', which is '{}' in the vocabulary; they are <unk> to the model. Write the "
      "table in the case of the text, or also lowercase the text (preprocess --lowercase)",
      found.other,
      found.words,
      found.word,
      found.known));
}

}  // namespace phraseq
