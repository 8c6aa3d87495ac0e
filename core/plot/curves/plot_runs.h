#pragma once

#include "core/base/api.h"
#include "core/plot/curves/plot_options.h"

namespace phraseq::plot {

/// Reads the runs and writes the figure or the page to the output; warns of lines that cannot be
/// read.
PHRASEQ_API void plot_runs(const PlotOptions& options);

}  // namespace phraseq::plot
