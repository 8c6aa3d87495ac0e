// phraseq train: trains a translation model.

#include "core/run/training/train.h"

#include "cli/command.h"
#include "core/nn/caching_allocator.h"

namespace {

constexpr const char* kDescription =
    "Trains a translation model on a data folder made by phraseq preprocess. The options of the "
    "selected components are listed under their names; 'phraseq plugins list' shows all "
    "components.";

int train_command(std::span<const std::string> arguments) {
  phraseq::TrainRun run(arguments);
  if (!phraseq::begin_run(
          run, "train", "DATA --arch NAME --max-tokens N [options]", kDescription, arguments))
    return phraseq::kExitOk;
  return phraseq::train(run, arguments);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("train", argc, argv, train_command);
}
