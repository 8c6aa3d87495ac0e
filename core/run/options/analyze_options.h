#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/activation.h"
#include "core/analysis/attention_map.h"
#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

enum class AnalyzeMode { kNotGiven, kAttention, kActivation, kConstituents, kHeads, kDump };

inline constexpr EnumName<AnalyzeMode> kAnalyzeModeNames[] = {
    {"attention", AnalyzeMode::kAttention},
    {"activation", AnalyzeMode::kActivation},
    {"constituents", AnalyzeMode::kConstituents},
    {"heads", AnalyzeMode::kHeads},
    {"dump", AnalyzeMode::kDump}};

/// The analysis of a model, and its output.
struct PHRASEQ_API AnalyzeOptions : Options {
  AnalyzeMode mode = AnalyzeMode::kNotGiven;
  std::string source;
  std::string target;
  std::string trees;
  bool truncate_source = false;
  std::string output = "-";
  std::vector<std::string> attention;
  std::string layer = "last";
  std::string head = "mean";
  analysis::TargetLabels target_labels = analysis::TargetLabels::kGenerated;
  analysis::ActivationStatistic stat = analysis::ActivationStatistic::kPeak;
  double tau = 0.5;
  bool json = false;
  std::vector<std::string> tensors;
  std::string plot;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Throws DataError if --source has no sentences.
void require_sentences(int64_t count);

}  // namespace phraseq
