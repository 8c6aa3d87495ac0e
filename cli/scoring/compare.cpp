#include <cstdlib>
#include <optional>
#include <unistd.h>

#include "cli/command.h"
#include "cli/scoring/begin_with_metrics.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/score/compare/compare_options.h"
#include "core/score/compare/compare_sentences.h"
#include "core/score/compare/comparison_html.h"
#include "core/score/compare/comparison_json.h"
#include "core/score/compare/comparison_plot.h"
#include "core/score/compare/comparison_text.h"
#include "core/score/compare/word_frequencies.h"

namespace phraseq {
namespace {

using score::CompareOptions;

constexpr const char* kUsage = "A B [C...] --ref REF [--src SRC] [options]";
constexpr const char* kDescription =
    "Compares the output of two or more systems: all metrics with significance tests, one metric "
    "by sentence length, and the translation of words by their frequency in the training text.";

score::Buckets make_buckets(const CompareOptions& options, const score::Lines& text) {
  return {options.source.empty() ? "reference" : "source",
          &text,
          options.bucket_unit,
          options.bucket_edges};
}

/// The file of the report; - = standard output.
std::string report_file(const CompareOptions& options) {
  return options.output.empty() ? "-" : options.output;
}

std::string render(const CompareOptions& options, const score::Comparison& comparison) {
  const int width = static_cast<int>(options.width);
  if (options.format == score::CompareFormat::kJson)
    return comparison_json(comparison);
  if (options.format == score::CompareFormat::kHtml)
    return comparison_html(comparison, width);
  const char* plain = std::getenv("NO_COLOR");
  const bool colors = !options.no_color && (plain == nullptr || *plain == '\0') &&
                      report_file(options) == "-" && isatty(STDOUT_FILENO) == 1;
  return comparison_text(comparison, width, colors);
}

std::string draw(const CompareOptions& options, const score::Comparison& comparison) {
  const bool lines = options.plot_kind == score::PlotKind::kLines;
  const score::BucketTable& table = options.plot_by == score::PlotTable::kFrequency
                                        ? comparison.frequencies.value()
                                        : comparison.lengths;
  return comparison_plot(comparison, table, static_cast<int>(options.width), lines).document();
}

/// Throws IoError if the report or the picture cannot be written.
void check_outputs(const CompareOptions& options) {
  check_result_target(report_file(options));
  check_result_target(options.plot);
}

/// The settings by which lines are divided into words, from BLEU's options in `table`.
score::WordSettings word_settings(const OptionTable& table, const std::string& target_language) {
  const std::string tokenizer = table.find("tokenize")->to_text();
  return {score::make_bleu_tokenizer(
              tokenizer.empty() ? score::default_tokenizer(target_language) : tokenizer,
              table.find("spm-model")->to_text()),
          table.find("lowercase")->to_text() == "yes"};
}

score::ScoreInput read_input(const CompareOptions& options,
                             const std::vector<score::SystemOutputs>& systems) {
  auto input = score::read_score_input(all_files(systems), options.references, 1);
  if (!options.force) {
    score::warn_about_tokens(input);
    score::warn_about_subwords(input);
  }
  return input;
}

score::Comparison compare(const CompareOptions& options,
                          const OptionTable& table,
                          const score::MetricSet& metric_set) {
  const MetricSetup setup{options.target_language()};
  const auto metrics = metric_set.make_all(options.metrics, setup);
  const auto bucket_metric = metric_set.make(options.bucket_metric, setup);
  const score::Sampling sampling{
      options.samples, score::parse_seed(options.seed), static_cast<int>(options.threads)};
  const auto systems = score::parse_systems(options.systems);
  const auto input = read_input(options, systems);
  const score::Lines text =
      options.source.empty() ? input.references.front() : score::read_score_lines(options.source);
  std::optional<score::WordFrequencies> frequencies;  // read before the computation
  if (!options.train_text.empty())
    frequencies.emplace(word_settings(table, options.target_language()), options.train_text);
  auto comparison = score::compare(
      metrics, *bucket_metric, input, systems, make_buckets(options, text), sampling);
  if (frequencies)
    comparison.frequencies = score::compare_by_frequency(
        *frequencies, options.frequency_edges, input, systems, sampling);
  if (options.format == score::CompareFormat::kHtml && options.sentences > 0) {
    const auto single = metric_set.make(options.bucket_metric, {options.target_language(), true});
    comparison.sentences = compare_sentences(*single,
                                             first_outputs(input, systems),
                                             options.source.empty() ? nullptr : &text,
                                             static_cast<size_t>(options.sentences),
                                             sampling.threads);
  }
  return comparison;
}

/// Writes the report, and the picture only if the report could be written.
void write_report(const CompareOptions& options, const score::Comparison& comparison) {
  const std::string report = render(options, comparison);
  std::optional<AtomicFile> plot;
  if (!options.plot.empty()) {
    plot.emplace(options.plot);
    plot->write(draw(options, comparison));
    plot->finish();
  }
  write_result(report_file(options), report);
  if (plot)
    plot->commit();
}

int compare_command(std::span<const std::string> arguments) {
  CompareOptions options;
  OptionTable table;
  options.describe(table);
  const auto named = options.peek_metrics(table, arguments);
  score::MetricSet metric_set = score::find_metrics(arguments, named);
  if (!begin_with_metrics(metric_set, options, table, {"compare", kUsage, kDescription}, arguments))
    return kExitOk;
  check_outputs(options);
  metric_set.warn_of_unused_options();
  write_report(options, compare(options, table, metric_set));
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("compare", argc, argv, phraseq::compare_command);
}
