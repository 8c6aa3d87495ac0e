#pragma once

#include <span>
#include <string>

#include "cli/command.h"
#include "core/score/metrics/metric_set.h"

namespace phraseq {

/// begin_command for a command whose `table` has its own `options` and gets those of its metrics.
inline bool begin_with_metrics(score::MetricSet& metrics,
                               const Options& options,
                               OptionTable& table,
                               const CommandText& command,
                               std::span<const std::string> arguments) {
  metrics.describe(table);
  return begin_command(
      table, command, arguments, [&] { return metrics.add_problems(options.problems()); });
}

}  // namespace phraseq
