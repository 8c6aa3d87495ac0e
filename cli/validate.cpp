// phraseq validate: the loss of a checkpoint on a split of a data folder.

#include <cstdio>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/caching_allocator.h"
#include "core/run/validate_run.h"

namespace {

int validate_command(std::span<const std::string> arguments) {
  phraseq::ValidateRun run(arguments);
  if (!phraseq::begin_command(
          run.table,
          "validate",
          "DATA --path FILE [options]",
          "Computes the loss of a checkpoint on a split of a data folder.",
          arguments,
          [&run] { return run.criterion.options->problems(); },
          [&run](const auto& option) { return run.explain_unknown(option); }))
    return phraseq::kExitOk;
  std::puts(phraseq::validation_text(phraseq::validate(run), run.options.format).c_str());
  return phraseq::kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("validate", argc, argv, validate_command);
}
