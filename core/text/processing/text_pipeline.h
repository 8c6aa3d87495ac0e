#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/text/bpe/bpe_codes.h"
#include "core/text/moses/moses_detokenizer.h"
#include "core/text/moses/moses_normalizer.h"
#include "core/text/moses/moses_tokenizer.h"
#include "core/text/moses/moses_truecaser.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The program whose byte-pair codes and marks are used.
enum class BpeKind { kNone, kSubwordNmt, kFastBpe };

inline constexpr EnumName<BpeKind> kBpeKindNames[] = {{"none", BpeKind::kNone},
                                                      {"subword_nmt", BpeKind::kSubwordNmt},
                                                      {"fastbpe", BpeKind::kFastBpe}};

/// Options of the tokenizers `moses` and `bpe`, under fairseq's names.
struct PHRASEQ_API TextPipelineOptions : Options {
  BpeKind bpe = BpeKind::kNone;
  std::string bpe_codes;       ///< "{lang}" in a file's name is the language
  std::string bpe_vocabulary;  ///< the output of subword-nmt get-vocab
  int64_t bpe_vocabulary_threshold = 0;
  double bpe_dropout = 0.1;  ///< for sampling
  bool lowercase = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Options of the tokenizer `moses` alone.
struct PHRASEQ_API MosesOptions : TextPipelineOptions {
  bool no_dash_splits = false;
  bool no_escape = false;
  bool normalize_punctuation = false;
  std::string truecase_model;  ///< "{lang}" in a file's name is the language
  bool truecase_known = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Punctuation normalization, lowercasing, the Moses tokenizer, truecasing and byte-pair encoding:
/// the steps that the options request, in this order, and their inverse.
///
/// Its model is a JSON object with the texts of the BPE codes and of the truecaser's model, so a
/// checkpoint needs no other file. Files are read only if the setup has no model.
class PHRASEQ_API TextPipeline : public Tokenizer {
 public:
  /// Splits words at whitespace and applies BPE.
  TextPipeline(const TextPipelineOptions& options, const TokenizerSetup& setup);
  /// Uses the tokenizer of Moses for the setup's language.
  TextPipeline(const MosesOptions& options, const TokenizerSetup& setup);

  std::vector<std::string> encode(std::string_view line) const override;
  std::vector<std::string> sample(std::string_view line, uint64_t seed) const override;
  std::string decode(const std::vector<std::string>& symbols) const override;
  std::string model() const override { return model_; }

 private:
  TextPipeline(const TextPipelineOptions& options, const TokenizerSetup& setup, std::string model);

  template <class Cut>
  std::vector<std::string> symbols_of(std::string_view line, Cut cut) const;

  TextPipelineOptions options_;
  std::string model_;
  std::unique_ptr<MosesNormalizer> normalizer_;
  std::unique_ptr<MosesTokenizer> tokenizer_;
  std::unique_ptr<MosesDetokenizer> detokenizer_;
  std::unique_ptr<MosesTruecaser> truecaser_;
  std::unique_ptr<BpeCodes> codes_;
};

}  // namespace phraseq
