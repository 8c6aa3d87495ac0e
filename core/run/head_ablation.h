#pragma once

#include "core/analysis/head_table.h"
#include "core/run/options/analyze_options.h"
#include "core/run/options/model_options.h"

namespace phraseq {

/// Computes the loss of the files of `options` with the whole model, and again without each of its
/// attention heads (of `options.attention`, if that is given).
analysis::HeadTable measure_heads(const Registry& registry,
                                  const AnalyzeOptions& options,
                                  const ModelOptions& model);

}  // namespace phraseq
