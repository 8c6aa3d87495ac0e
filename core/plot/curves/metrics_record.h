#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phraseq::plot {

enum class MetricsEvent { kInterval, kEpoch, kValidation, kStart, kResume, kOther };

/// One line of metrics.jsonl.
struct MetricsRecord {
  MetricsEvent event = MetricsEvent::kOther;
  double updates = 0;
  double epoch = 0;                                             ///< from 1
  double position = std::numeric_limits<double>::quiet_NaN();   ///< finished epochs; NaN = unknown
  double wall = std::numeric_limits<double>::quiet_NaN();       ///< seconds of this process
  double processor = std::numeric_limits<double>::quiet_NaN();  ///< seconds of its threads
  std::string score_name;
  std::vector<std::pair<std::string, double>> values;
};

/// The record of a line, or of the end of a line that begins with the incomplete record of a
/// process that died; nothing if there is none.
std::optional<MetricsRecord> parse_metrics_record(std::string_view line);

}  // namespace phraseq::plot
