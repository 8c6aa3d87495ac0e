#pragma once

#include <cstdint>
#include <string>

#include "core/options/option_table.h"
#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/metrics/ter.h"

namespace phraseq::score {

// All harmless: a resumed run may look at its translations otherwise, as it may with --metric.

struct BleuMetricOptions final : Options {
  std::string tokenize;
  std::string spm_model;
  std::string smooth_method = "exp";
  bool lowercase = false;

  void describe(OptionTable& table) override {
    table.field("bleu-tokenize", tokenize, "Tokenizer, as phraseq score's --tokenize.")
        .value_name("NAME")
        .harmless();
    table.field("bleu-spm-model", spm_model, "SentencePiece model of the spm tokenizers.")
        .value_name("FILE")
        .harmless();
    table.field("bleu-smooth-method", smooth_method, "What to do with orders that have no match.")
        .one_of({"none", "floor", "add-k", "exp"})
        .harmless();
    table.field("bleu-lowercase", lowercase, "Ignore case.").harmless();
  }

  BleuSettings settings(const std::string& target_language) const {
    BleuSettings result;
    result.tokenizer = tokenize.empty() ? default_tokenizer(target_language) : tokenize;
    result.tokenizer_model = spm_model;
    result.smoothing = parse_smoothing(smooth_method);
    result.lowercase = lowercase;
    return result;
  }
};

struct ChrfMetricOptions final : Options {
  int64_t char_order = 6;
  int64_t word_order = 0;
  int64_t beta = 2;

  void describe(OptionTable& table) override {
    table.field("chrf-char-order", char_order, "Longest character n-gram.").in(1, 100).harmless();
    table.field("chrf-word-order", word_order, "Longest word n-gram; 2 makes chrF++.")
        .in(0, 100)
        .harmless();
    table.field("chrf-beta", beta, "How many times more recall weighs than precision.")
        .in(0, 1000)
        .harmless();
  }

  ChrfSettings settings() const {
    ChrfSettings result;
    result.char_order = static_cast<int>(char_order);
    result.word_order = static_cast<int>(word_order);
    result.beta = static_cast<int>(beta);
    return result;
  }
};

struct TerMetricOptions final : Options {
  TerTokenizerSettings settings;

  void describe(OptionTable& table) override {
    table.field("ter-normalized", settings.normalized, "Decode entities and set punctuation apart.")
        .harmless();
    table.field("ter-no-punct", settings.no_punct, "Remove punctuation.").harmless();
    table.field("ter-asian-support", settings.asian_support, "Treat Asian characters too.")
        .harmless();
    table.field("ter-case-sensitive", settings.case_sensitive, "Respect case.").harmless();
  }
};

}  // namespace phraseq::score
