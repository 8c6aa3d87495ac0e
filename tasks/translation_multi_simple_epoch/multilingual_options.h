#pragma once

#include <string>
#include <vector>

#include "core/data/vocabularies.h"
#include "core/options/option_table.h"
#include "core/text/languages/language_tokens.h"

namespace phraseq {

/// The language whose token begins the source.
enum class EncoderToken { kNone, kSource, kTarget };
inline constexpr EnumName<EncoderToken> kEncoderTokenNames[] = {
    {"none", EncoderToken::kNone}, {"src", EncoderToken::kSource}, {"tgt", EncoderToken::kTarget}};

/// How often each language pair is used in an epoch: every sentence pair once, all language pairs
/// equally, or by size^(1/T). kRoundRobin is fairseq's name for kConcat.
enum class SamplingMethod { kConcat, kUniform, kTemperature, kRoundRobin };
inline constexpr EnumName<SamplingMethod> kSamplingMethodNames[] = {
    {"concat", SamplingMethod::kConcat},
    {"uniform", SamplingMethod::kUniform},
    {"temperature", SamplingMethod::kTemperature},
    {"RoundRobin", SamplingMethod::kRoundRobin}};

/// fairseq's options for this task, with fairseq's meanings and defaults.
struct MultilingualOptions final : Options {
  std::string lang_pairs;
  std::vector<std::string> langs;
  std::string lang_dict;
  std::string source_lang;
  std::string target_lang;

  EncoderToken encoder_langtok = EncoderToken::kNone;
  bool decoder_langtok = false;
  LanguageTokenStyle lang_tok_style = LanguageTokenStyle::kMultilingual;
  bool lang_tok_replacing_bos_eos = false;

  SamplingMethod sampling_method = SamplingMethod::kConcat;
  double sampling_temperature = 1.5;
  std::string sampling_weights;
  std::string sampling_weights_from_file;
  int64_t virtual_epoch_size = 0;
  int64_t virtual_data_size = 0;

  std::string data_loader = "auto";
  std::string tokenizer = "auto";
  std::string subword_model;
  double bpe_dropout = 0.0;
  int64_t upsample_primary = 1;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  TokenizerFiles tokenizer_files() const;
  /// Whether sentence pairs are sampled rather than used once each.
  bool samples() const;
};

}  // namespace phraseq
