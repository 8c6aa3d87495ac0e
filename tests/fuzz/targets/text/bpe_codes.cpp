// The codes of subword-nmt or fastBPE, "||||", a vocabulary, "||||", and a line. With any codes,
// the subwords of a word must spell it.

#include "core/text/bpe/bpe_codes.h"

#include "core/io/utf8.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

std::string joined(const std::vector<std::string>& subwords) {
  std::string word;
  for (size_t i = 0; i < subwords.size(); ++i) {
    const bool is_last = i + 1 == subwords.size();
    word += is_last ? subwords[i] : subwords[i].substr(0, subwords[i].size() - 2);
  }
  return word;
}

void check_spelling(std::string_view word, const std::vector<std::string>& subwords) {
  // If the end-of-word mark is part of the word, the rules of subword-nmt lose it.
  const bool is_plain = word.find_first_of("</w>") == std::string_view::npos;
  if (is_plain && joined(subwords) != word)
    throw std::logic_error("the subwords do not spell the word");
}

void encode_line(const BpeCodes& codes, std::string_view line) {
  for (const std::string_view word : split_blanks(line)) {
    check_spelling(word, codes.encode(word));
    check_spelling(word, codes.sample(word, 0.3, 7));
  }
}

}  // namespace

PHRASEQ_FUZZ_TARGET(bpe_codes) {
  const auto [text, vocabulary, line] = fuzz::parts_of<3>(fuzz::text_of(data, size));
  const std::string words = repair_text(line, ControlBytes::kReject);
  return fuzz::check([&, text = text, vocabulary = vocabulary] {
    BpeCodes codes(std::string(text), "codes");
    encode_line(codes, words);
    codes.restrict_to(std::string(vocabulary), 2, "vocabulary");
    encode_line(codes, words + " again");
  });
}
