// phraseq analyze: attention, activation and recorded tensors of a trained model.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/run/analyze_run.h"

namespace {

constexpr const char* kUsage =
    "attention|activation|constituents|heads|dump --path FILE --source … --target … [options]";
constexpr const char* kDescription =
    "Shows what a model computes for given sentence pairs: attention as heat maps, the shares of "
    "phrases and constituents in the attention as tables, what each attention head is worth, or "
    "all recorded tensors.";

int analyze_command(std::span<const std::string> arguments) {
  phraseq::AnalyzeRun run(arguments);
  if (!phraseq::begin_command(run.table, {"analyze", kUsage, kDescription}, arguments, [&run] {
        return run.options.problems();
      }))
    return phraseq::kExitOk;
  return phraseq::analyze(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("analyze", argc, argv, analyze_command);
}
