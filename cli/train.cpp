// phraseq train: trains a translation model.

#include "core/run/training/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "core/base/log.h"
#include "core/base/shell_quote.h"
#include "core/base/signals.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/options/fairseq/hydra/hydra_command.h"

namespace {

constexpr const char* kDescription =
    "Trains a translation model on a data folder made by phraseq preprocess. The options of the "
    "selected components are listed under their names; 'phraseq plugins list' shows all "
    "components.";

/// The arguments of the command; those of fairseq-hydra-train are converted.
std::vector<std::string> read_arguments(std::span<const std::string> given) {
  auto [arguments, file] = phraseq::fairseq::read_hydra_command(given);
  if (!file.empty()) {
    std::string command = "phraseq train";
    for (const std::string& argument : arguments) command += " " + phraseq::shell_quoted(argument);
    phraseq::log_info(fmt::format("{} is read as: {}", file, command));
  }
  return arguments;
}

int train_command(std::span<const std::string> given) {
  phraseq::outlive_checkpoint_requests();
  const std::vector<std::string> arguments = read_arguments(given);
  phraseq::TrainRun run(arguments);
  if (!phraseq::begin_run(
          run, {"train", "DATA --arch NAME --max-tokens N [options]", kDescription}, arguments))
    return phraseq::kExitOk;
  return phraseq::train(run, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("train", argc, argv, train_command);
}
