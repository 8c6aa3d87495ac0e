#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/translate/post_process.h"

namespace phraseq {

/// The value of --best-checkpoint-metric for the accuracy that --report-accuracy adds, and its name
/// among the values of the criterion.
inline constexpr const char* kAccuracy = "accuracy";
inline constexpr const char* kCorrectPerToken = "correct_per_token";

/// When and how the model is validated.
struct PHRASEQ_API ValidationOptions : Options {
  std::string valid_subset = "valid";  ///< splits, separated by commas
  bool disable_validation = false;
  int64_t validate_interval = 1;          ///< epochs
  int64_t validate_interval_updates = 0;  ///< updates; 0 = off
  int64_t validate_after_updates = 0;     ///< no validation before this update
  int64_t max_tokens_valid = 0;           ///< tokens per batch; 0 = as in training
  bool eval_bleu = false;                 ///< also translate and compute the metric
  std::string eval_bleu_args = "{}";      ///< options of beam search, JSON
  PostProcess eval_bleu_remove_bpe = PostProcess::kNotGiven;
  int64_t eval_bleu_sentences = 0;              ///< sentences to translate; 0 = all
  int64_t eval_bleu_print_samples = 0;          ///< translations to log
  std::string best_checkpoint_metric = "loss";  ///< a value of the criterion, or the metric's name
  bool maximize_best_checkpoint_metric = false;
  int64_t patience = -1;  ///< validations without a better result; <= 0 = no limit
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The splits of --valid-subset. The first one decides which checkpoint is the best. Throws
  /// UsageError for an empty or repeated name.
  std::vector<std::string> subsets() const;

  /// True for the two losses that validation reports.
  static bool is_loss(std::string_view metric);
  /// True for both names of the accuracy.
  static bool is_accuracy(std::string_view metric);
  /// True for a value that the criterion reports: a loss, kAccuracy, or "NAME_per_token", another
  /// of its sums. Every other metric scores the translated text.
  static bool is_of_criterion(std::string_view metric);

  /// Describes the problem if --maximize-best-checkpoint-metric is given for a metric of which
  /// lower values are better.
  std::string maximize_problem() const;
};

}  // namespace phraseq
