// phraseq interactive: translates each line as it is entered.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/run/generation/generate.h"

namespace {

constexpr const char* kUsage = "--path FILE [options]";
constexpr const char* kDescription =
    "Translates lines of text as they arrive. The lines of one buffer (--buffer-size) are "
    "translated and printed before more input is read, so that another program can communicate "
    "with this command through a pipe.";

int interactive_command(std::span<const std::string> arguments) {
  phraseq::GenerateRun run(arguments, /*line_by_line=*/true);
  if (!phraseq::begin_run(run, {"interactive", kUsage, kDescription}, arguments))
    return phraseq::kExitOk;
  return phraseq::generate(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("interactive", argc, argv, interactive_command);
}
