#include "core/text/sentencepiece/sentencepiece_tokenizer.h"

#include <new>
#include <optional>
#include <random>
#include <sentencepiece_processor.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/text/append_symbols.h"
#include "core/text/replace_all.h"
#include "core/text/sentencepiece/sentencepiece_words.h"
#include "core/text/unicode.h"
#include "core/text/word_cache.h"

// SentencePiece's generator of random numbers for the calling thread. The library exports it, but
// no public header declares it; the public SetRandomGeneratorSeed affects only threads that have
// not drawn a number yet.
namespace sentencepiece::random {
std::mt19937* GetRandomGenerator();
}  // namespace sentencepiece::random

namespace phraseq {
namespace {

using sentencepiece::util::Status;

constexpr size_t kCachedWords = 1 << 16;
constexpr size_t kLongestCached = 32;
constexpr std::string_view kSpaceMark = "\u2581";

void check(const Status& status, std::string_view step) {
  if (!status.ok())
    throw DataError(fmt::format("SentencePiece cannot {}: {}", step, status.ToString()));
}

/// Loads a model; returns the problem, or an empty text. SentencePiece throws instead of returning
/// a status if it cannot build the trie of the pieces.
std::string load(sentencepiece::SentencePieceProcessor& processor, const std::string& model) {
  try {
    const Status status = processor.LoadFromSerializedProto(model);
    return status.ok() ? std::string() : status.ToString();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

/// Decoded text with spaces in place of the marks that remain: SentencePiece keeps the mark of a
/// piece that its model does not have, such as a piece of the source in a vocabulary for both
/// languages.
std::string without_space_marks(std::string text) {
  if (text.starts_with(kSpaceMark))
    text.erase(0, kSpaceMark.size());
  return replace_all(std::move(text), kSpaceMark, " ");
}

}  // namespace

struct SentencePieceTokenizer::State {
  sentencepiece::SentencePieceProcessor processor;
  std::optional<WordCache> words;  ///< set if words can be encoded separately
};

SentencePieceTokenizer::SentencePieceTokenizer(std::string model,
                                               const std::string& name,
                                               SentencePieceSettings settings)
    : model_(std::move(model)), settings_(settings), state_(new State) {
  const std::string problem = load(state_->processor, model_);
  if (model_.empty() || !problem.empty()) {
    throw FormatError(
        fmt::format("{}: not a SentencePiece model ({} bytes): {}", name, model_.size(), problem),
        "Give the .model file that spm_train or phraseq preprocess wrote.");
  }
  if (has_separate_words(model_))
    state_->words.emplace(kCachedWords);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::string SentencePieceTokenizer::prepared(std::string_view line) const {
  return settings_.lowercase ? to_lowercase(line) : std::string(line);
}

/// Removes the token that selects a language from the line and returns it; empty if there is none.
std::vector<std::string> SentencePieceTokenizer::take_language_token(std::string_view& line) const {
  const size_t end = line.find("<<");
  if (!settings_.language_token || !line.starts_with(">>") || end == std::string_view::npos)
    return {};
  std::vector<std::string> token = {std::string(line.substr(0, end + 2))};
  line.remove_prefix(end + 2);
  return token;
}

void SentencePieceTokenizer::append_encoded(std::string_view text,
                                            std::vector<std::string>& symbols) const {
  std::vector<std::string> pieces;
  check(state_->processor.Encode({text.data(), text.size()}, &pieces), "encode");
  append_symbols(pieces, symbols);
}

std::vector<std::string> SentencePieceTokenizer::encode(std::string_view line) const {
  std::vector<std::string> symbols = take_language_token(line);
  const std::string text = prepared(line);
  const auto append = [this](std::string_view part, std::vector<std::string>& made) {
    append_encoded(part, made);
  };
  if (!state_->words) {
    append(text, symbols);
    return symbols;
  }
  for (const std::string_view word : separate_words(text)) {
    if (word.size() > kLongestCached)
      append(word, symbols);
    else
      state_->words->append(word, symbols, append);
  }
  return symbols;
}

std::vector<std::string> SentencePieceTokenizer::sample(std::string_view line,
                                                        uint64_t seed) const {
  sentencepiece::random::GetRandomGenerator()->seed(static_cast<uint32_t>(mix_seeds(seed, 0)));
  std::vector<std::string> symbols = take_language_token(line), pieces;
  check(state_->processor.SampleEncode(prepared(line),
                                       static_cast<int>(settings_.candidates),
                                       static_cast<float>(settings_.alpha),
                                       &pieces),
        "sample");
  append_symbols(pieces, symbols);
  return symbols;
}

std::string SentencePieceTokenizer::decode(const std::vector<std::string>& symbols) const {
  std::string text;
  check(state_->processor.Decode(symbols, &text), "decode");
  return without_space_marks(std::move(text));
}

std::vector<std::string> SentencePieceTokenizer::pieces() const {
  const auto& processor = state_->processor;
  std::vector<std::string> pieces;
  for (int id = 0; id < processor.GetPieceSize(); ++id) {
    if (!processor.IsControl(id) && !processor.IsUnknown(id) && !processor.IsUnused(id))
      pieces.push_back(processor.IdToPiece(id));
  }
  return pieces;
}

SentencePieceVocabulary SentencePieceTokenizer::vocabulary() const {
  const auto& processor = state_->processor;
  SentencePieceVocabulary made{
      {}, processor.bos_id(), processor.pad_id(), processor.eos_id(), processor.unk_id()};
  for (int id = 0; id < processor.GetPieceSize(); ++id)
    made.pieces.push_back(processor.IdToPiece(id));
  return made;
}

}  // namespace phraseq
