// phraseq rerank: chooses translations from n-best lists by the scores of several models.

#include "cli/command.h"
#include "cli/scoring/begin_with_metrics.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/options/command_line.h"
#include "core/score/rerank/rerank_lists.h"
#include "core/score/rerank/rerank_options.h"

namespace phraseq {
namespace {

constexpr const char* kDescription =
    "Noisy-channel reranking: chooses the translation with the highest weighted sum of the "
    "log-probabilities of a forward model, a channel model and a language model from each n-best "
    "list; can tune the weights on a development set.";

std::string chosen_lines(const std::vector<score::RerankList>& lists,
                         const score::RerankWeights& weights) {
  std::string text;
  for (const score::RerankList& list : lists)
    text += list.hypotheses[score::best_hypothesis(list, weights)].text + '\n';
  return text;
}

void write_pairs(const std::vector<score::RerankList>& lists, const score::RerankOptions& options) {
  if (options.source.empty())
    score::write_pairs(lists, options.write_pairs);
  else
    score::write_text_pairs(lists, options.source, options.write_pairs);
}

int rerank_command(std::span<const std::string> arguments) {
  score::RerankOptions options;
  OptionTable table;
  options.describe(table);
  const std::vector<std::string> named = {peek_option(table, arguments, "metric", options.metric)};
  score::MetricSet metric_set = score::find_metrics(arguments, named);
  if (!begin_with_metrics(
          metric_set, options, table, {"rerank", "FILE [options]", kDescription}, arguments))
    return kExitOk;
  metric_set.warn_of_unused_options();
  if (!options.write_pairs.empty()) {
    for (const char* side : {".src", ".hyp"})
      check_not_an_input(options.write_pairs + side, options.files_read());
  }
  check_result_target(options.output);
  const auto lists = score::read_lists(options);
  if (!options.write_pairs.empty()) {
    write_pairs(lists, options);
    return kExitOk;
  }
  const auto metric = metric_set.make(options.metric, {options.target_language});
  const std::string text = chosen_lines(lists, score::choose_weights(options, lists, *metric));
  write_result(options.output, text);
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("rerank", argc, argv, phraseq::rerank_command);
}
