// phraseq generate: translates a split of a data folder, or lines of text.

#include "core/run/generation/generate.h"

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"

namespace {

constexpr const char* kUsage = "[DATA] --path FILE [options] [< IN > OUT]";
constexpr const char* kDescription =
    "Translates a split of a data folder, or lines of text, in input order. Only a checkpoint is "
    "needed: it contains the vocabularies and the subword models.";

int generate_command(std::span<const std::string> arguments) {
  phraseq::GenerateRun run(arguments, /*line_by_line=*/false);
  if (!phraseq::begin_run(run, {"generate", kUsage, kDescription}, arguments))
    return phraseq::kExitOk;
  return phraseq::generate(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("generate", argc, argv, generate_command);
}
