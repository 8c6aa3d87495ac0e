#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The settings of a SentencePieceTokenizer besides its model.
struct SentencePieceSettings {
  bool lowercase = false;
  /// For sampling. BPE models: the probability of leaving out a merge (BPE-dropout, Provilkov et
  /// al. 2020). Unigram models: the smoothing of the segmentation's probabilities (Kudo 2018, eq.
  /// 8); 0 = all equal.
  double alpha = 0.1;
  /// For sampling from a unigram model: how many of the best segmentations to choose from; -1 = all
  /// (the lattice).
  int64_t candidates = -1;
  /// Whether ">>fra<<" at the beginning of a line is a separate symbol, as in models with several
  /// target languages (OPUS-MT).
  bool language_token = false;
};

/// All pieces of a model by id, and the ids of those with a special meaning; -1 = none.
struct SentencePieceVocabulary {
  std::vector<std::string> pieces;
  int64_t bos = -1;
  int64_t pad = -1;
  int64_t eos = -1;
  int64_t unk = -1;
};

/// A SentencePiece model, BPE or unigram (Kudo & Richardson 2018).
class PHRASEQ_API SentencePieceTokenizer : public Tokenizer {
 public:
  /// `model`: the content of a `.model` file. Throws a FormatError with `name` if it is not one.
  SentencePieceTokenizer(std::string model,
                         const std::string& name,
                         SentencePieceSettings settings = {});
  ~SentencePieceTokenizer() override;

  std::vector<std::string> encode(std::string_view line) const override;
  std::vector<std::string> sample(std::string_view line, uint64_t seed) const override;
  std::string decode(const std::vector<std::string>& symbols) const override;
  std::string model() const override { return model_; }
  /// The pieces that can occur in encoded text, in the model's order: neither control symbols nor
  /// <unk>.
  std::vector<std::string> pieces() const;
  SentencePieceVocabulary vocabulary() const;

 private:
  std::string prepared(std::string_view line) const;
  void append_encoded(std::string_view text, std::vector<std::string>& symbols) const;
  std::vector<std::string> take_language_token(std::string_view& line) const;

  struct State;
  std::string model_;
  SentencePieceSettings settings_;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
