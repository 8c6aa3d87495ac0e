#pragma once

#include <memory>
#include <span>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/options/model_options.h"
#include "core/run/options/rescore_options.h"
#include "core/run/run_components.h"

namespace phraseq {

/// `phraseq rescore`: all its options are described, but not parsed yet.
struct PHRASEQ_API RescoreRun {
  explicit RescoreRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  RescoreOptions options;
  ModelOptions model;
  OptionTable table;
};

/// Scores everything and returns the exit code.
PHRASEQ_API int rescore(RescoreRun& run);

}  // namespace phraseq
