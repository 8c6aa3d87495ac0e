#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/model_options.h"
#include "core/run/run_components.h"

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

/// `phraseq analyze`: everything described, not yet parsed.
struct PHRASEQ_API AnalyzeRun {
  explicit AnalyzeRun(std::span<const std::string> arguments);

  std::unique_ptr<LoadedPlugins> loaded;
  AnalyzeOptions options;
  ModelOptions model;
  OptionTable table;
};

/// Does what the mode says; the exit code.
PHRASEQ_API int analyze(AnalyzeRun& run);

}  // namespace phraseq
