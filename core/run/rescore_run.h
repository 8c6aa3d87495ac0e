#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/model_options.h"
#include "core/run/run_components.h"
#include "core/score/contrastive/contrastive_options.h"
#include "core/score/contrastive/contrastive_report.h"
#include "core/translate/translation_text.h"

namespace phraseq {

/// Whose probabilities are asked for and how they are written down.
struct PHRASEQ_API RescoreOptions : Options {
  std::string data;
  std::string gen_subset = "test";
  std::string source;
  std::string target;
  std::string trees;
  std::string output = "-";
  TranslationFormat format;
  int64_t max_tokens = 4096;
  int64_t batch_size = 0;
  int64_t buffer_size = 20000;
  bool truncate_source = false;
  score::ContrastiveOptions contrastive;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// `phraseq rescore`: everything described, not yet parsed.
struct PHRASEQ_API RescoreRun {
  explicit RescoreRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  RescoreOptions options;
  ModelOptions model;
  OptionTable table;
};

/// The natural-log probability of each example's target, as a hypothesis with the target's tokens;
/// its score is the mean a token. In the order of the examples. With several models the mean of
/// their probabilities.
PHRASEQ_API std::vector<Translation> score_targets(const std::vector<TranslationModel>& models,
                                                   std::vector<Example> examples,
                                                   const TranslationSettings& settings);

/// The log-probabilities of both translations of each pair. Two that are the same symbols get the
/// same number. DataError with file and line for a sentence that a model does not take.
PHRASEQ_API std::vector<score::PairScores> score_pairs(const std::vector<TranslationModel>& models,
                                                       const score::ContrastiveSet& set,
                                                       const TranslationSettings& settings,
                                                       int64_t buffer_size);

/// Scores everything; the exit code.
PHRASEQ_API int rescore(RescoreRun& run);

}  // namespace phraseq
