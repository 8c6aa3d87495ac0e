// phraseq plot: draws the learning curves of training runs.

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/plot/curves/plot_runs.h"

namespace phraseq {
namespace {

constexpr const char* kDescription =
    "Draws the learning curves of one or more training runs from their metrics.jsonl: losses, "
    "score of the validation set, learning rate, gradient norm and speed.";

int plot_command(std::span<const std::string> arguments) {
  plot::PlotOptions options;
  if (!begin_command(options, {"plot", "RUN... [options]", kDescription}, arguments))
    return kExitOk;
  check_result_target(options.output);
  write_result(options.output, plot::plot_runs(options));
  if (options.output != "-")
    log_info(fmt::format("wrote {}", options.output));
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("plot", argc, argv, phraseq::plot_command);
}
