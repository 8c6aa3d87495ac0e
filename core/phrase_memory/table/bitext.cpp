#include "core/phrase_memory/table/bitext.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/line_reader.h"
#include "core/phrase_memory/table/phrase_table.h"
#include "core/text/unicode.h"

namespace phraseq {

uint32_t WordNumbers::number_of(const std::string& word) {
  const auto [known, is_new] = numbers_.emplace(word, static_cast<uint32_t>(words_.size()));
  if (is_new)
    words_.push_back(word);
  return known->second;
}

void NumberedText::add(std::string_view sentence, bool lowercase) {
  std::vector<uint32_t>& numbers = sentences.emplace_back();
  for (const std::string& word : phrase_words(sentence))
    numbers.push_back(words.number_of(lowercase ? to_lowercase(word) : word));
}

Bitext read_bitext(const std::string& source, const std::string& target, bool lowercase) {
  Bitext bitext;
  LineReader sources(source);
  LineReader targets(target);
  std::string line;
  std::string translation;
  for (;;) {
    const bool has_source = sources.next(line);
    const bool has_target = targets.next(translation);
    if (!has_source && !has_target)
      break;
    if (has_source != has_target) {
      reject_lengths(has_source ? sources : targets,
                     has_source ? targets : sources,
                     "Both sides of a bitext must have the same number of lines.");
    }
    bitext.source.add(line, lowercase);
    bitext.target.add(translation, lowercase);
  }
  if (bitext.source.sentences.empty())
    throw DataError(fmt::format("{}: no sentences", source), "Expected one sentence per line.");
  return bitext;
}

}  // namespace phraseq
