#pragma once

#include <string>

namespace phraseq::plot {

/// What a panel of a metric is called, with its unit: "Loss (bits per token)".
std::string metric_title(const std::string& key);

/// A metric whose panel begins at 0: rates, norms and shares, but no loss.
bool starts_at_zero(const std::string& key);

/// A metric that `train` can record.
bool is_known_metric(const std::string& key);

/// From the natural logarithms of metrics.jsonl to the bits of the log, for losses; else 1.
double metric_factor(const std::string& key);

/// The key of metrics.jsonl for a name that people use: "nll", "gnorm", "wps", "bleu".
std::string metric_key(const std::string& name);

}  // namespace phraseq::plot
