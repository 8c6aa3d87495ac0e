#include "core/score/tokenizers/tokenizer_13a.h"

#include <utility>

#include "core/score/tokenizers/punctuation_rules.h"
#include "core/text/replace_all.h"

namespace phraseq::score {

std::string tokenize_13a(std::string_view line) {
  std::string text = replace_all(std::string(line), "<skipped>", "");
  text = replace_all(std::move(text), "-\n", "");
  text = replace_all(std::move(text), "\n", " ");
  return apply_punctuation_rules(' ' + decode_entities(std::move(text)) + ' ');
}

}  // namespace phraseq::score
