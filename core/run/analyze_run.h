#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/analyze_options.h"
#include "core/run/options/model_options.h"
#include "core/run/run_components.h"

namespace phraseq {

/// `phraseq analyze`: all its options are described, but not parsed yet.
struct PHRASEQ_API AnalyzeRun {
  explicit AnalyzeRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  AnalyzeOptions options;
  ModelOptions model;
  OptionTable table;
};

/// Runs the analysis selected by the mode and returns the exit code.
PHRASEQ_API int analyze(AnalyzeRun& run);

}  // namespace phraseq
