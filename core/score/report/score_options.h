#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/report/evaluation.h"

namespace phraseq::score {

/// Which metrics, with which settings: sacrebleu's options by sacrebleu's names.
struct PHRASEQ_API MetricOptions : Options {
  std::vector<std::string> metrics = {"bleu"};

  std::string smooth_method = "exp";
  double smooth_value = -1;
  std::string tokenize;
  std::string language_pair;
  std::string spm_model;
  bool lowercase = false;
  int64_t order = 4;
  bool effective_order = false;
  bool force = false;

  int64_t chrf_char_order = 6;
  int64_t chrf_word_order = 0;
  int64_t chrf_beta = 2;
  bool chrf_whitespace = false;
  bool chrf_lowercase = false;
  bool chrf_eps_smoothing = false;

  bool ter_case_sensitive = false;
  bool ter_asian_support = false;
  bool ter_no_punct = false;
  bool ter_normalized = false;

  bool mteval_preserve_case = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The metrics in sacrebleu's order: BLEU, chrF (and chrF++), TER; then multi-bleu and
  /// mteval-v11b. UsageError for a tokenizer that is not to be had.
  Metrics make_metrics() const;
  /// One metric by its name, whether or not `metrics` has it.
  std::unique_ptr<CorpusMetric> make_metric(std::string_view name) const;

  BleuSettings bleu_settings() const;

 private:
  bool wants(std::string_view metric) const;
  ChrfSettings chrf_settings() const;
  void describe_bleu(OptionTable& table);
  void describe_chrf(OptionTable& table);
  void describe_ter(OptionTable& table);
};

/// What `phraseq score` is asked to do: sacrebleu's command line.
struct PHRASEQ_API ScoreOptions : MetricOptions {
  std::vector<std::string> references;
  std::vector<std::string> input;
  int64_t num_refs = 1;
  std::string encoding = "utf-8";

  bool sentence_level = false;
  bool confidence = false;
  int64_t confidence_n = 1000;
  bool paired_ar = false;
  bool paired_bs = false;
  int64_t paired_ar_n = 10000;
  int64_t paired_bs_n = 1000;
  int64_t threads = 0;
  std::string seed = "12345";

  std::string format = "json";
  int64_t width = 1;
  bool score_only = false;
  bool short_signature = false;
  bool no_color = false;
  bool quiet = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  PairedTest test() const;
  /// Resamples or trials for what was asked for; 0 for none.
  Sampling sampling() const;

 private:
  void describe_input(OptionTable& table);
  void describe_tests(OptionTable& table);
  void describe_report(OptionTable& table);
};

/// Why an argument of sacrebleu's is not served here ("--test-set needs a download …"), or an empty
/// string.
PHRASEQ_API std::string refusal_of(const std::string& argument);

}  // namespace phraseq::score
