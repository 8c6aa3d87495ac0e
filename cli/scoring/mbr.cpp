// phraseq mbr: chooses the translation with the greatest expected score from lists of hypotheses.

#include "cli/command.h"
#include "cli/scoring/begin_with_metrics.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/options/command_line.h"
#include "core/score/mbr/mbr_options.h"

namespace phraseq {
namespace {

constexpr const char* kUsage = "FILE [FILE...] [options]";
constexpr const char* kDescription =
    "Minimum Bayes risk decoding: chooses the hypothesis with the highest expected score from the "
    "n-best list or the samples of each sentence, with all hypotheses of the list as references.";

int mbr_command(std::span<const std::string> arguments) {
  score::MbrOptions options;
  OptionTable table;
  options.describe(table);
  const std::vector<std::string> named = {peek_option(table, arguments, "metric", options.metric)};
  score::MetricSet metric_set = score::find_metrics(arguments, named);
  if (!begin_with_metrics(metric_set, options, table, {"mbr", kUsage, kDescription}, arguments))
    return kExitOk;
  metric_set.warn_of_unused_options();
  check_result_target(options.output);
  const auto metric =
      metric_set.make(options.metric, {options.target_language, /*sentence_level=*/true});
  const auto lists = score::read_all_lists(options);
  if (lists.empty())
    log_warning(options.inputs.front() + ": there are no hypotheses");
  std::string text;
  for (const std::string& chosen : score::choose_by_mbr(lists, *metric, options.weights))
    text += chosen + '\n';
  write_result(options.output, text);
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("mbr", argc, argv, phraseq::mbr_command);
}
