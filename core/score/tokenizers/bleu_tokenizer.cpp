#include "core/score/tokenizers/bleu_tokenizer.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <sentencepiece_processor.h>
#include <utility>
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

constexpr std::string_view kSentencePieceNames[] = {"spm", "flores101", "flores200", "spBLEU-1K"};

/// The tokenizers without a model.
constexpr std::pair<std::string_view, std::string (*)(std::string_view)> kPlainTokenizers[] = {
    {"none", [](std::string_view line) { return std::string(line); }},
    {"zh", tokenize_zh},
    {"13a", tokenize_13a},
    {"intl", tokenize_intl},
    {"char", tokenize_char}};

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

[[noreturn]] void reject_tokenizer(const std::string& name) {
  if (name == "ja-mecab" || name == "ko-mecab") {
    throw UsageError(
        fmt::format("the BLEU tokenizer {} needs MeCab, which phraseq does not have", name),
        "Use --bleu-tokenize char (score --tokenize char) or spm, or segment both sides with MeCab "
        "and use none; without --bleu-tokenize, the target language determines the tokenizer.");
  }
  std::vector<std::string> known;
  for (const auto& [plain, tokenize] : kPlainTokenizers) known.emplace_back(plain);
  known.insert(known.end(), std::begin(kSentencePieceNames), std::end(kSentencePieceNames));
  const std::string guess = did_you_mean(name, known);
  throw UsageError(fmt::format("there is no BLEU tokenizer '{}'; known: {}{}{}",
                               name,
                               fmt::join(known, ", "),
                               guess.empty() ? "" : "; ",
                               guess));
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
  for (const auto& [plain, tokenize] : kPlainTokenizers) {
    if (name == plain)
      return {name, tokenize};
  }
  if (std::ranges::count(kSentencePieceNames, name) > 0)
    return make_sentencepiece_tokenizer(name, model);
  reject_tokenizer(name);
}

}  // namespace phraseq::score
