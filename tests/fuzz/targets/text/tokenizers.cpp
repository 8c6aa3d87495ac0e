// A line of text through every tokenizer and in lower case: valid text must stay valid.

#include <memory>

#include "core/io/utf8.h"
#include "core/score/tokenizers/bleu_tokenizer.h"
#include "core/score/tokenizers/ter_tokenizer.h"
#include "core/text/moses/moses_detokenizer.h"
#include "core/text/moses/moses_normalizer.h"
#include "core/text/moses/moses_tokenizer.h"
#include "core/text/unicode.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

void expect_valid(const std::string& text) {
  if (find_text_fault(text, ControlBytes::kAllow))
    throw std::logic_error("valid text became invalid");
}

/// The tokenizer of Moses and its inverse, for a language with special rules.
struct Moses {
  explicit Moses(const std::string& language)
      : normalizer(language), tokenizer(language), detokenizer(language) {}

  void run(const std::string& line) const {
    const std::string tokens = tokenizer.tokenize(normalizer.normalize(line));
    expect_valid(tokens);
    std::vector<std::string> words;
    for (const std::string_view word : split_whitespace(tokens)) words.emplace_back(word);
    expect_valid(detokenizer.detokenize(words));
  }

  MosesNormalizer normalizer;
  MosesTokenizer tokenizer;
  MosesDetokenizer detokenizer;
};

void run_moses(const std::string& line) {
  static const std::array<std::unique_ptr<Moses>, 5> kLanguages = {std::make_unique<Moses>("en"),
                                                                   std::make_unique<Moses>("de"),
                                                                   std::make_unique<Moses>("fr"),
                                                                   std::make_unique<Moses>("cs"),
                                                                   std::make_unique<Moses>("zh")};
  for (const auto& moses : kLanguages) moses->run(line);
}

void run_score_tokenizers(const std::string& line) {
  for (const std::string name : {"none", "13a", "intl", "char", "zh"})
    expect_valid(score::make_bleu_tokenizer(name, "").tokenize(line));
  for (const bool is_on : {false, true})
    expect_valid(score::tokenize_tercom(line, {is_on, is_on, is_on, is_on}));
}

}  // namespace

PHRASEQ_FUZZ_TARGET(tokenizers) {
  const std::string line = repair_text(fuzz::text_of(data, size), ControlBytes::kAllow);
  return fuzz::check([&] {
    expect_valid(to_lowercase(line));
    run_moses(line);
    run_score_tokenizers(line);
  });
}
