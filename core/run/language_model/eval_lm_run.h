#pragma once

#include <memory>
#include <span>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/eval_lm_options.h"
#include "core/run/options/model_options.h"
#include "core/run/run_components.h"

namespace phraseq {

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
