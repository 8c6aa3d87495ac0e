#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// What is shown of a model, and how.
struct PHRASEQ_API AnalyzeOptions : Options {
  std::string mode;
  std::string source;
  std::string target;
  std::string trees;
  std::string output = "-";
  std::vector<std::string> attention;
  std::string layer = "last";
  std::string head = "mean";
  std::string stat = "peak";
  double tau = 0.5;
  bool json = false;
  std::vector<std::string> tensors;
  std::string plot;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq
