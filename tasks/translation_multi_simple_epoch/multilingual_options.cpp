#include "tasks/translation_multi_simple_epoch/multilingual_options.h"

#include "core/data/text/task_tokenizer.h"

namespace phraseq {
namespace {

void describe_languages(OptionTable& table, MultilingualOptions& o) {
  table
      .field("lang-pairs",
             o.lang_pairs,
             "Language pairs to train on, SOURCE-TARGET separated by commas, or a file that "
             "contains them.")
      .value_name("PAIRS");
  table
      .field("langs",
             o.langs,
             "Languages in the order of their tokens, separated by commas; default: those of "
             "--lang-pairs, sorted by name.")
      .value_name("LANG,...");
  table
      .field(
          "lang-dict",
          o.lang_dict,
          "File with the languages in the order of their tokens, one per line, instead of --langs.")
      .value_name("FILE");
  table
      .field("source-lang",
             o.source_lang,
             "Default source language for translation, recorded in the checkpoint.")
      .short_flag("s")
      .value_name("LANG");
  table
      .field("target-lang",
             o.target_lang,
             "Default target language for translation, recorded in the checkpoint.")
      .short_flag("t")
      .value_name("LANG");
}

void describe_tokens(OptionTable& table, MultilingualOptions& o) {
  table.field("encoder-langtok",
              o.encoder_langtok,
              kEncoderTokenNames,
              "Language token before the source sentence: that of the source or of the target "
              "language.");
  table.field("decoder-langtok",
              o.decoder_langtok,
              "Put the token of the target language before the target sentence.");
  table.field("lang-tok-style",
              o.lang_tok_style,
              kLanguageTokenStyleNames,
              "Spelling of the language tokens: multilingual = __de__, mbart = [de], plain = de.");
  table.field("lang-tok-replacing-bos-eos",
              o.lang_tok_replacing_bos_eos,
              "Put the language tokens in place of </s> at the end of the source and at the start "
              "of the decoder.");
}

void describe_sampling(OptionTable& table, MultilingualOptions& o) {
  table.field("sampling-method",
              o.sampling_method,
              kSamplingMethodNames,
              "How often each language pair is used: concat = every sentence pair once per epoch "
              "(RoundRobin means the same); uniform = all language pairs equally often; "
              "temperature = by size^(1/T).");
  table
      .field("sampling-temperature",
             o.sampling_temperature,
             "Temperature T of --sampling-method temperature.")
      .in(1e-3, 1e6);
  table
      .field("sampling-weights",
             o.sampling_weights,
             "Weights of the language pairs, instead of --sampling-method: {\"en-de\": 2, "
             "\"de-en\": 1}.")
      .value_name("JSON");
  table
      .field("sampling-weights-from-file",
             o.sampling_weights_from_file,
             "JSON file with the weights of the language pairs, instead of --sampling-weights.")
      .value_name("FILE");
}

void describe_sizes(OptionTable& table, MultilingualOptions& o) {
  table
      .field("virtual-epoch-size",
             o.virtual_epoch_size,
             "Number of sentence pairs in an epoch, after which the model is validated and saved; "
             "0 = --virtual-data-size.")
      .at_least(0)
      .value_name("N");
  table
      .field("virtual-data-size",
             o.virtual_data_size,
             "Number of sentence pairs in a pass, which are drawn anew for each pass; 0 = as many "
             "as it takes to use the largest language pair once, but at most 1.5 times the number "
             "of all sentence pairs.")
      .at_least(0)
      .value_name("N");
}

void describe_text(OptionTable& table, MultilingualOptions& o) {
  table.field(
      "data-loader",
      o.data_loader,
      "Data loader: indexed (files made by phraseq preprocess) or text (raw "
      "FOLDER/SRC-TGT/SPLIT.LANG, plain or .gz); auto = indexed if the folder of a pair has "
      ".idx files.");
  describe_tokenizer(table, o.tokenizer);
  table
      .field("subword-model",
             o.subword_model,
             "SentencePiece model for all languages, if the data folder has none.")
      .alias("sentencepiece-model")
      .value_name("FILE");
  describe_bpe_dropout(table, o.bpe_dropout);
  table
      .field("upsample-primary",
             o.upsample_primary,
             "If the training set of a pair has several parts (train, train1 …), use the first one "
             "N times; -1 = once.")
      .in(-1, 1000000);
}

}  // namespace

void MultilingualOptions::describe(OptionTable& table) {
  describe_languages(table, *this);
  describe_tokens(table, *this);
  describe_sampling(table, *this);
  describe_sizes(table, *this);
  describe_text(table, *this);
}

std::vector<std::string> MultilingualOptions::problems() const {
  std::vector<std::string> found;
  const auto reject_if = [&](bool wrong, const char* sentence) {
    if (wrong)
      found.emplace_back(sentence);
  };
  reject_if(!langs.empty() && !lang_dict.empty(), "--langs and --lang-dict: give only one of them");
  reject_if(source_lang.empty() != target_lang.empty(),
            "--source-lang and --target-lang name a direction together: give both");
  reject_if(
      lang_tok_replacing_bos_eos && encoder_langtok == EncoderToken::kNone && !decoder_langtok,
      "--lang-tok-replacing-bos-eos needs --encoder-langtok or --decoder-langtok");
  reject_if(!sampling_weights.empty() && !sampling_weights_from_file.empty(),
            "--sampling-weights and --sampling-weights-from-file: give only one of them");
  reject_if(virtual_data_size > 0 && !samples(),
            "--virtual-data-size needs --sampling-method uniform or temperature, or "
            "--sampling-weights: concat uses every pair once");
  reject_if(sampling_temperature != MultilingualOptions{}.sampling_temperature &&
                sampling_method != SamplingMethod::kTemperature,
            "--sampling-temperature needs --sampling-method temperature");
  reject_if(upsample_primary == 0,
            "--upsample-primary 0 would leave out the first part of the training set");
  check_bpe_dropout(bpe_dropout, data_loader, found);
  return found;
}

TokenizerFiles MultilingualOptions::tokenizer_files() const {
  return TokenizerFiles::from_options(tokenizer, subword_model, subword_model);
}

bool MultilingualOptions::samples() const {
  return sampling_method == SamplingMethod::kUniform ||
         sampling_method == SamplingMethod::kTemperature || !sampling_weights.empty() ||
         !sampling_weights_from_file.empty();
}

}  // namespace phraseq
