#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plot/curves/learning_curves.h"

namespace phraseq::plot {

/// The options of `phraseq plot`.
struct PHRASEQ_API PlotOptions : Options {
  std::vector<std::string> runs;
  std::vector<std::string> labels;
  CurveSettings curves;
  std::string output = "curves.svg";

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq::plot
