#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/metrics/metric_options.h"
#include "core/score/report/evaluation.h"

namespace phraseq::score {

enum class ScoreFormat { kJson, kText, kLatex };

inline constexpr EnumName<ScoreFormat> kScoreFormatNames[] = {
    {"json", ScoreFormat::kJson}, {"text", ScoreFormat::kText}, {"latex", ScoreFormat::kLatex}};

/// The options of `phraseq score`, which are those of sacrebleu.
struct PHRASEQ_API ScoreOptions : MetricOptions {
  std::vector<std::string> references;
  std::vector<std::string> input;
  int64_t num_refs = 1;
  std::string encoding = "utf-8";

  bool fairseq = false;
  bool sentence_level = false;
  bool confidence = false;
  int64_t confidence_n = 1000;
  bool paired_ar = false;
  bool paired_bs = false;
  int64_t paired_ar_n = 10000;
  int64_t paired_bs_n = 1000;
  int64_t threads = 0;
  std::string seed = "12345";

  ScoreFormat format = ScoreFormat::kJson;
  int64_t width = 1;
  bool score_only = false;
  bool short_signature = false;
  bool no_color = false;
  bool quiet = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  /// Warns if a number of samples is given without its test; sacrebleu accepts this as well.
  void warn_of_unused_options() const;

  PairedTest test() const;
  /// The number of resamples or trials for the requested test; 0 without one.
  Sampling sampling() const;

 private:
  void check_fairseq(std::vector<std::string>& found) const;
  void describe_input(OptionTable& table);
  void describe_fairseq(OptionTable& table);
  void describe_tests(OptionTable& table);
  void describe_paired_tests(OptionTable& table);
  void describe_report(OptionTable& table);
};

/// The reason why an argument of sacrebleu is not supported ("--test-set needs a download …"), or
/// an empty string.
PHRASEQ_API std::string rejection_of(const std::string& argument);

}  // namespace phraseq::score
