// phraseq rescore: computes how probable given translations are for a model, or which of two is
// more probable.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/run/rescore_run.h"

namespace {

constexpr const char* kUsage =
    "[DATA | --source FILE --target FILE | --contrastive TSV] --path FILE [options]";
constexpr const char* kDescription =
    "Prints the natural-log probability of each given translation, in input order; --format jsonl "
    "adds the score of every token. --contrastive reports how often the correct translation is "
    "more probable than the incorrect one.";

int rescore_command(std::span<const std::string> arguments) {
  phraseq::RescoreRun run(arguments);
  if (!phraseq::begin_command(run.table, {"rescore", kUsage, kDescription}, arguments, [&run] {
        return run.options.problems();
      }))
    return phraseq::kExitOk;
  return phraseq::rescore(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("rescore", argc, argv, rescore_command);
}
