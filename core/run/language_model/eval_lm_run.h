#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/blocks/token_blocks.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/run/options/model_options.h"
#include "core/run/run_components.h"
#include "core/translate/post_process.h"

namespace phraseq {

/// The text to evaluate, and the output.
struct PHRASEQ_API EvalLmOptions : Options {
  std::string data;
  std::string gen_subset = "test";
  BreakMode break_mode = BreakMode::kAuto;
  int64_t tokens_per_sample = 0;  ///< 0 = as in the checkpoint
  int64_t context_window = 0;
  bool output_word_probs = false;
  bool output_word_stats = false;
  int64_t softmax_batch = 0;
  PostProcess remove_bpe = PostProcess::kNotGiven;
  BatchOptions batches{36000};

  void describe(OptionTable& table) override;
};

/// `phraseq eval-lm`: all its options are described, but not parsed yet.
struct PHRASEQ_API EvalLmRun {
  explicit EvalLmRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  EvalLmOptions options;
  ModelOptions model;
  OptionTable table;
};

/// Prints the requested words and statistics and the loss; returns the exit code.
PHRASEQ_API int evaluate_language_model(EvalLmRun& run);

}  // namespace phraseq
