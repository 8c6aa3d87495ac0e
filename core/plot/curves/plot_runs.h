#pragma once

#include <string>

#include "core/base/api.h"
#include "core/plot/curves/plot_options.h"

namespace phraseq::plot {

/// Reads the runs and draws them: a figure (SVG), or a page if the output's name ends in .html.
/// Warns of lines that cannot be read.
PHRASEQ_API std::string plot_runs(const PlotOptions& options);

}  // namespace phraseq::plot
