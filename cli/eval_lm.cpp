// phraseq eval-lm: computes the perplexity of a language model on a split of a data folder.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/run/language_model/eval_lm_run.h"

namespace {

constexpr const char* kDescription =
    "Computes the loss, in base 2, and the perplexity of a language model on a text, and the "
    "probability of each word.";

int eval_lm_command(std::span<const std::string> arguments) {
  phraseq::EvalLmRun run(arguments);
  if (!phraseq::begin_command(
          run.table, {"eval-lm", "DATA --path FILE [options]", kDescription}, arguments, [&run] {
            return run.options.problems();
          }))
    return phraseq::kExitOk;
  return phraseq::evaluate_language_model(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("eval-lm", argc, argv, eval_lm_command);
}
