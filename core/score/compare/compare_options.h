#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/score/compare/comparison.h"
#include "core/score/metrics/metric_options.h"

namespace phraseq::score {

enum class CompareFormat { kText, kJson, kHtml };
enum class PlotKind { kBars, kLines };
enum class PlotTable { kLength, kFrequency };

inline constexpr EnumName<LengthUnit> kLengthUnitNames[] = {
    {"words", LengthUnit::kWords}, {"characters", LengthUnit::kCharacters}};
inline constexpr EnumName<CompareFormat> kCompareFormatNames[] = {
    {"text", CompareFormat::kText}, {"json", CompareFormat::kJson}, {"html", CompareFormat::kHtml}};
inline constexpr EnumName<PlotKind> kPlotKindNames[] = {{"bars", PlotKind::kBars},
                                                        {"lines", PlotKind::kLines}};
inline constexpr EnumName<PlotTable> kPlotTableNames[] = {{"length", PlotTable::kLength},
                                                          {"frequency", PlotTable::kFrequency}};

/// The options of `phraseq compare`.
struct PHRASEQ_API CompareOptions : MetricOptions {
  CompareOptions() { metrics = {"bleu", "chrf", "chrf++", "ter"}; }

  std::vector<std::string> systems;
  std::vector<std::string> references;
  std::string source;
  std::vector<int64_t> bucket_edges = {15, 30, 45};
  LengthUnit bucket_unit = LengthUnit::kWords;
  std::string bucket_metric = "bleu";
  std::vector<std::string> train_text;
  std::vector<int64_t> frequency_edges = {1, 2, 5, 10, 100, 1000};
  int64_t samples = 1000;
  std::string seed = "12345";
  int64_t threads = 0;
  CompareFormat format = CompareFormat::kText;
  std::string output;
  std::string plot;
  PlotKind plot_kind = PlotKind::kBars;
  PlotTable plot_by = PlotTable::kLength;
  int64_t sentences = 20;
  int64_t width = 1;
  bool no_color = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  std::vector<std::string> peek_metrics(OptionTable& table,
                                        std::span<const std::string> arguments) const override;
};

}  // namespace phraseq::score
