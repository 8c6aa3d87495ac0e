// phraseq validate: computes the loss of a checkpoint on splits of a data folder.

#include <cstdio>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/run/validate_run.h"

namespace {

int validate_command(std::span<const std::string> arguments) {
  phraseq::ValidateRun run(arguments);
  if (!phraseq::begin_run(run,
                          {"validate",
                           "DATA --path FILE [options]",
                           "Computes the loss of a checkpoint on splits of a data folder."},
                          arguments))
    return phraseq::kExitOk;
  phraseq::validate(run, [&run](const phraseq::ValidationResult& result) {
    std::puts(phraseq::validation_text(result, run.options.format).c_str());
  });
  return phraseq::kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("validate", argc, argv, validate_command);
}
