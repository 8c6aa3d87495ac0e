#include "core/score/tokenizers/bleu_tokenizer.h"

#include <algorithm>
#include <memory>
#include <sentencepiece_processor.h>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"
#include "core/score/tokenizers/tokenizer_13a.h"
#include "core/score/tokenizers/tokenizer_char.h"
#include "core/score/tokenizers/tokenizer_intl.h"
#include "core/score/tokenizers/tokenizer_zh.h"

namespace phraseq::score {
namespace {

constexpr const char* kSentencePieceNames[] = {"spm", "flores101", "flores200", "spBLEU-1K"};

bool needs_a_model(const std::string& name) {
  return std::find(std::begin(kSentencePieceNames), std::end(kSentencePieceNames), name) !=
         std::end(kSentencePieceNames);
}

BleuTokenizer make_sentencepiece_tokenizer(const std::string& name, const std::string& model) {
  if (model.empty()) {
    throw UsageError(fmt::format("the BLEU tokenizer {} needs a SentencePiece model", name),
                     "Give its path as --bleu-spm-model FILE, or as score --spm-model FILE; "
                     "phraseq downloads nothing.");
  }
  auto processor = std::make_shared<sentencepiece::SentencePieceProcessor>();
  const auto status = processor->Load(model);
  if (!status.ok()) {
    throw FormatError(fmt::format("{}: not a SentencePiece model: {}", model, status.ToString()));
  }
  const auto tokenize = [processor](std::string_view line) {
    std::string text;
    for (const auto& piece : processor->EncodeAsPieces(line)) {
      text += piece;
      text += ' ';
    }
    return text;
  };
  return {name == "spm" ? "flores101" : name, tokenize};
}

/// The names that `make_bleu_tokenizer` knows.
const std::vector<std::string>& bleu_tokenizer_names() {
  static const std::vector<std::string> names = {
      "none", "zh", "13a", "intl", "char", "spm", "flores101", "flores200", "spBLEU-1K"};
  return names;
}

}  // namespace

std::string default_tokenizer(const std::string& target_language) {
  if (target_language == "zh")
    return "zh";
  if (target_language == "ja" || target_language == "ko")
    return target_language + "-mecab";
  return "13a";
}

BleuTokenizer make_bleu_tokenizer(const std::string& name, const std::string& model) {
  if (name == "13a")
    return {name, tokenize_13a};
  if (name == "intl")
    return {name, tokenize_intl};
  if (name == "zh")
    return {name, tokenize_zh};
  if (name == "char")
    return {name, tokenize_char};
  if (name == "none")
    return {name, [](std::string_view line) { return std::string(line); }};
  if (needs_a_model(name))
    return make_sentencepiece_tokenizer(name, model);
  if (name == "ja-mecab" || name == "ko-mecab") {
    throw UsageError(
        fmt::format("the BLEU tokenizer {} needs MeCab, which phraseq does not have", name),
        "Use --bleu-tokenize char (score --tokenize char) or spm, or segment both sides with MeCab "
        "and use none; without --bleu-tokenize, the target language determines the tokenizer.");
  }
  const std::vector<std::string>& known = bleu_tokenizer_names();
  const std::string guess = did_you_mean(name, known);
  throw UsageError(fmt::format("there is no BLEU tokenizer '{}'; known: {}{}{}",
                               name,
                               fmt::join(known, ", "),
                               guess.empty() ? "" : "; ",
                               guess));
}

}  // namespace phraseq::score
