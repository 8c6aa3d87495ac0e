// phraseq phrase-table: show the phrases that a table matches in a text; check or build a table.

#include "core/phrase_memory/table/phrase_table.h"

#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/base/wording/counted.h"
#include "core/base/wording/first_items.h"
#include "core/io/atomic_file.h"
#include "core/phrase_memory/match_report.h"
#include "core/phrase_memory/table/phrase_table_options.h"

namespace {

using namespace phraseq;

constexpr const char* kUsage = "match|check|build|rules [OPTIONS]";
constexpr const char* kDescription =
    "Phrase tables, the external memory of Tang et al. 2016: 'match' shows the phrases of each "
    "sentence of a text, 'check TABLE' lists the problems of a table (exit code 3 if there are "
    "any), 'build' makes a table from parallel text, and 'rules' makes a table of the dates, "
    "numbers and names that rules find in a text, or, with --reference, reports the precision and "
    "recall of the rules.";

constexpr size_t kMaxProblems = 100;  // number of problems that are printed

int check(const PhraseTableOptions& options) {
  const std::string& table = options.table_file();
  std::vector<std::string> lines;
  for (const PhraseTableProblem& problem : check_phrase_table(table, options.lowercase))
    lines.push_back(fmt::format("{}:{}: {}: {}", table, problem.line, problem.kind, problem.text));
  if (lines.empty()) {
    fmt::print("{}: no problems\n", table);
    return kExitOk;
  }
  fmt::print("{}\n{}: {}\n",
             first_items(lines, kMaxProblems, "\n"),
             table,
             counted(std::ssize(lines), "problem"));
  return kExitData;
}

int match(const PhraseTableOptions& options) {
  const PhraseMemory memory = options.make_memory();
  report_matches(memory, options.match_settings(), std::cout);
  return kExitOk;
}

int build(const PhraseTableOptions& options) {
  check_result_target(options.output);
  const Bitext bitext = read_bitext(options.source, options.target, options.lowercase);
  const auto alignments = read_or_align(bitext, options.alignment, options.iterations);
  auto entries = build_phrase_table(bitext, alignments, options.thresholds());
  categorize(entries, options.memory.pn_rules);
  std::string text;
  for (const PhraseEntry& entry : entries) text += phrase_line(entry) + '\n';
  write_result(options.output, text);
  print_summary(options.output,
                fmt::format("{} from {}",
                            counted(std::ssize(entries), "phrase"),
                            counted(std::ssize(alignments), "sentence pair")));
  return kExitOk;
}

/// Measures how well the rules predict a translation.
int measure_rules(const PhraseTableOptions& options) {
  check_result_target(options.wrong);
  std::ostringstream wrong;
  const RuleReport report = report_rules(options.rule_report_settings(), &wrong);
  if (!options.wrong.empty()) {
    AtomicFile file(options.wrong);
    file.write(wrong.str());
    file.commit();
  }
  std::cout << (options.json ? rule_report_json(report) : rule_report_text(report));
  return kExitOk;
}

int rules(const PhraseTableOptions& options) {
  if (!options.reference.empty())
    return measure_rules(options);
  for (const PhraseEntry& entry : phrases_of_text(options.make_memory(), options.input))
    std::cout << phrase_line(entry) << '\n';
  return kExitOk;
}

int phrase_table(std::span<const std::string> arguments) {
  PhraseTableOptions options;
  if (!begin_command(options, {"phrase-table", kUsage, kDescription}, arguments))
    return kExitOk;
  switch (options.action) {
    case PhraseTableAction::kBuild:
      return build(options);
    case PhraseTableAction::kRules:
      return rules(options);
    case PhraseTableAction::kCheck:
      return check(options);
    case PhraseTableAction::kMatch:
    case PhraseTableAction::kNotGiven:
      break;
  }
  return match(options);
}

}  // namespace

int main(int argc, char** argv) {
  return phraseq::run_command("phrase-table", argc, argv, phrase_table);
}
