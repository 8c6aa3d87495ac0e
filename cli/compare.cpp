#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/score/compare/compare_options.h"

namespace phraseq {
namespace {

using score::CompareOptions;

constexpr const char* kUsage = "A B [C...] --ref REF [--src SRC] [options]";
constexpr const char* kDescription =
    "Compares the output of two or more systems: every metric with its significance, and one by "
    "sentence length.";

score::Buckets make_buckets(const CompareOptions& options, const score::Lines& text) {
  return {
      options.source.empty() ? "reference" : "source",
      &text,
      options.bucket_unit == "words" ? score::LengthUnit::kWords : score::LengthUnit::kCharacters,
      options.bucket_edges};
}

std::string render(const CompareOptions& options, const score::Comparison& comparison) {
  const int width = static_cast<int>(options.width);
  if (options.format == "json")
    return comparison_json(comparison);
  if (options.format == "html")
    return comparison_html(comparison, width);
  const char* plain = std::getenv("NO_COLOR");
  const bool colors = !options.no_color && (plain == nullptr || *plain == '\0') &&
                      options.output.empty() && isatty(STDOUT_FILENO) == 1;
  return comparison_text(comparison, width, colors);
}

std::string draw(const CompareOptions& options, const score::Comparison& comparison) {
  const bool lines = options.plot_kind == "lines";
  return comparison_plot(comparison, static_cast<int>(options.width), lines).document();
}

int compare_command(std::span<const std::string> arguments) {
  CompareOptions options;
  OptionTable table;
  options.describe(table);
  if (!begin_command(
          table, "compare", kUsage, kDescription, arguments, [&] { return options.problems(); }))
    return kExitOk;

  const auto metrics = options.make_metrics();
  const score::Sampling sampling{
      options.samples, score::parse_seed(options.seed), static_cast<int>(options.threads)};
  const auto input = score::read_score_input(options.systems, options.references, 1);
  if (!options.force)
    score::warn_about_tokens(input);
  const score::Lines text =
      options.source.empty() ? input.references.front() : score::read_score_lines(options.source);
  const auto bucket_metric = options.make_metric(options.bucket_metric);
  const auto comparison =
      score::compare(metrics, *bucket_metric, input, make_buckets(options, text), sampling);
  const std::string report = render(options, comparison);
  if (!options.plot.empty())
    write_file(options.plot, draw(options, comparison));
  if (options.output.empty()) {
    std::cout << report;
  } else {
    write_file(options.output, report);
  }
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("compare", argc, argv, phraseq::compare_command);
}
