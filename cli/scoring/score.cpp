#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/options/enum_name.h"
#include "core/score/metrics/fairseq_bleu.h"
#include "core/score/metrics/metric_set.h"
#include "core/score/report/score_input.h"
#include "core/score/report/score_options.h"
#include "core/score/significance/significance.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

using score::ScoreOptions;

constexpr const char* kUsage = "REF [REF...] [-i FILE...] [options]";
constexpr const char* kDescription =
    "Computes BLEU, chrF and TER of detokenized text with the command line and the results of "
    "sacrebleu, and the metrics of plugins. fairseq's form is also accepted: --sys FILE --ref "
    "FILE.";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

void reject_downloads(std::span<const std::string> arguments) {
  for (const auto& argument : arguments) {
    const std::string rejection = score::rejection_of(argument);
    if (!rejection.empty())
      throw UsageError(rejection, "Pass the references as files.");
  }
}

void apply_environment(ScoreOptions& options) {
  if (const auto seed = environment("SACREBLEU_SEED"); !seed.empty())
    options.seed = seed;
}

/// Rejects an invalid seed from the environment with the name of its variable.
void check_default_seed(const OptionTable& table, const ScoreOptions& options) {
  if (table.find("seed")->origin == OptionOrigin::kDefault)
    score::parse_seed(options.seed, "SACREBLEU_SEED");
}

/// As in sacrebleu, a format in the environment takes precedence over --format.
void override_format(ScoreOptions& options) {
  const auto format = to_lowercase(environment("SACREBLEU_FORMAT"));
  options.format = enum_value(score::kScoreFormatNames, format).value_or(options.format);
}

/// The systems to read. In a paired test, a repeated baseline is skipped, as in sacrebleu, so that
/// `--input base *` works.
std::vector<std::string> system_files(const ScoreOptions& options) {
  auto files = options.input;
  if (options.test() == score::PairedTest::kNone)
    return files;
  const std::string baseline = files.front();
  files.erase(std::remove(files.begin() + 1, files.end(), baseline), files.end());
  if (files.size() < options.input.size()) {
    log_info(fmt::format("'{}' is the baseline and is not compared with itself", baseline));
  }
  if (files.size() < 2)
    throw UsageError("a paired test needs at least two different systems");
  return files;
}

std::string sentence_report(const Metrics& metrics,
                            const score::ScoreInput& input,
                            const ScoreOptions& options,
                            const score::ReportStyle& style) {
  std::string text;
  for (const auto& value : score::score_sentences(*metrics.front(),
                                                  input.systems.front().lines,
                                                  input.references,
                                                  static_cast<int>(options.threads))) {
    text += format_text(value, style) + '\n';
  }
  return text;
}

std::string single_report(const Metrics& metrics,
                          const score::ScoreInput& input,
                          const ScoreOptions& options,
                          const score::ReportStyle& style) {
  const auto scores = score::score_system(
      metrics, input.systems.front().lines, input.references, options.sampling());
  return options.format == score::ScoreFormat::kJson ? report_json(scores, style)
                                                     : report_text(scores, style);
}

std::string table_report(const Metrics& metrics,
                         const score::ScoreInput& input,
                         const ScoreOptions& options) {
  const auto table = score::score_systems(metrics,
                                          input.systems,
                                          input.references,
                                          options.test(),
                                          options.sampling(),
                                          options.short_signature);
  const bool colors =
      !options.no_color && environment("NO_COLOR").empty() && isatty(STDOUT_FILENO) == 1;
  const score::TableStyle style{static_cast<int>(options.width), colors};
  switch (options.format) {
    case score::ScoreFormat::kText:
      return table_text(table, style);
    case score::ScoreFormat::kLatex:
      return table_latex(table, style);
    case score::ScoreFormat::kJson:
      break;
  }
  return table_json(table, style);
}

MetricSetup metric_setup(const ScoreOptions& options) {
  return {options.target_language(), options.sentence_level};
}

std::string report(const Metrics& metrics, const ScoreOptions& options) {
  const auto input = score::read_score_input(
      system_files(options), options.references, static_cast<size_t>(options.num_refs));
  if (!options.force && metrics.front()->name() == "BLEU")
    score::warn_about_tokens(input);
  if (!options.force)
    score::warn_about_subwords(input);
  const score::ReportStyle style{
      static_cast<int>(options.width), options.score_only, options.short_signature};
  if (options.sentence_level)
    return sentence_report(metrics, input, options, style);
  if (input.systems.size() == 1)
    return single_report(metrics, input, options, style);
  return table_report(metrics, input, options);
}

/// The value of an option of the metric BLEU.
std::string bleu_option(OptionTable& table, const char* name) {
  const OptionField* field = table.find(name);
  return field == nullptr ? std::string() : field->to_text();
}

int fairseq_order(OptionTable& table) {
  const int order = std::stoi(bleu_option(table, "order"));
  if (order > score::FairseqBleu::kHighestOrder) {
    throw UsageError(fmt::format("--order {}: the BLEU of fairseq has orders up to {}",
                                 order,
                                 score::FairseqBleu::kHighestOrder));
  }
  return order;
}

/// The output of fairseq-score: a line for the corpus or, with --sentence-bleu, a line for each
/// sentence.
std::string fairseq_report(const ScoreOptions& options, OptionTable& table) {
  const auto input = score::read_score_input(options.input, options.references, 1);
  if (!options.force)
    score::warn_about_subwords(input);
  const auto& systems = input.systems.front().lines;
  const auto& references = input.references.front();
  const bool lower = bleu_option(table, "ignore-case") == "yes";
  const auto cased = [&](const std::string& line) { return lower ? to_lowercase(line) : line; };
  const int order = fairseq_order(table);
  std::string lines;
  score::FairseqBleu corpus;
  for (size_t i = 0; i < systems.size(); ++i) {
    score::FairseqBleu sentence(/*smoothed=*/true);
    score::FairseqBleu& scorer = options.sentence_level ? sentence : corpus;
    scorer.add(cased(systems[i]), cased(references[i]));
    if (options.sentence_level)
      lines += fmt::format("{} {}\n", i, sentence.result(order));
  }
  return options.sentence_level ? lines : corpus.result(order) + '\n';
}

/// Rejects options that fairseq's report and its BLEU do not use.
void check_fairseq(const ScoreOptions& options,
                   OptionTable& table,
                   std::span<const std::string> arguments,
                   std::vector<std::string>& problems) {
  constexpr const char* kUnused[] = {"metrics",
                                     "language-pair",
                                     "score-only",
                                     "width",
                                     "format",
                                     "short",
                                     "tokenize",
                                     "spm-model",
                                     "smooth-method",
                                     "smooth-value",
                                     "effective-order"};
  if (!options.fairseq)
    return;
  if (peek_flag(arguments, "sacrebleu")) {
    problems.emplace_back(
        "--fairseq prints fairseq's own BLEU, but --sacrebleu asks for that of sacrebleu: leave "
        "out --fairseq, and give the file with --sys");
  }
  for (const char* name : kUnused) {
    const OptionField* field = table.find(name);
    if (field != nullptr && field->origin != OptionOrigin::kDefault)
      problems.push_back(fmt::format(
          "--fairseq prints fairseq's line with fairseq's settings: do not use --{}", name));
  }
}

int score_command(std::span<const std::string> arguments) {
  ScoreOptions options;
  apply_environment(options);
  OptionTable table;
  options.describe(table);
  const auto named = options.peek_metrics(table, arguments);
  score::MetricSet metric_set = score::find_metrics(arguments, named);
  metric_set.describe(table);
  if (answer_help(table, {"score", kUsage, kDescription}, arguments))
    return kExitOk;
  reject_downloads(arguments);
  const auto problems = [&] {
    auto found = metric_set.add_problems(options.problems());
    check_fairseq(options, table, arguments, found);
    return found;
  };
  if (!begin_command(table, {"score", kUsage, kDescription}, arguments, problems))
    return kExitOk;
  check_default_seed(table, options);
  override_format(options);
  set_log_quiet(options.quiet);
  options.warn_of_unused_options();
  metric_set.warn_of_unused_options();
  if (options.fairseq) {
    std::cout << fairseq_report(options, table);
    return kExitOk;
  }
  std::cout << report(metric_set.make_all(options.metrics, metric_setup(options)), options);
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("score", argc, argv, phraseq::score_command);
}
