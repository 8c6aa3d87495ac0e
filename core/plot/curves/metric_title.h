#pragma once

#include <string>

namespace phraseq::plot {

/// The title of a metric's panel, with its unit: "Loss (bits per token)".
std::string metric_title(const std::string& key);

/// Whether a metric's panel begins at 0: true for rates, norms and shares, false for losses.
bool starts_at_zero(const std::string& key);

/// Whether `train` can record the metric.
bool is_known_metric(const std::string& key);

/// For losses, the factor from the natural logarithms of metrics.jsonl to the bits of the log; for
/// other metrics 1.
double metric_factor(const std::string& key);

/// The key of metrics.jsonl for a common name: "nll", "gnorm", "wps", "bleu".
std::string metric_key(const std::string& name);

}  // namespace phraseq::plot
