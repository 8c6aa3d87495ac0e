#include "core/phrase_memory/table/phrase_table_options.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "core/options/enum_name.h"

namespace phraseq {
namespace {

void check_build(const PhraseTableOptions& o, std::vector<std::string>& found) {
  for (const auto& [name, value] :
       {std::pair{"source", &o.source}, {"target", &o.target}, {"output", &o.output}}) {
    if (value->empty())
      found.push_back(std::string("build: --") + name + " is missing");
  }
  if (o.output.ends_with(".gz"))
    found.push_back("build: --output " + o.output + ": tables are written plain, without .gz");
}

void check_rules(const PhraseTableOptions& o, std::vector<std::string>& found) {
  if (o.memory.pn_rules == PhraseRules::kNone)
    found.emplace_back("rules: --pn-rules is missing");
  if (!o.wrong.empty() && o.reference.empty())
    found.emplace_back("rules: --wrong needs --reference");
  if (!o.table_file().empty())
    found.emplace_back("rules: --phrase-table is not used; 'match' combines rules with a table");
}

void check_table(const PhraseTableOptions& o, std::vector<std::string>& found) {
  if (o.table_file().empty() &&
      (o.action == PhraseTableAction::kCheck || o.memory.pn_rules == PhraseRules::kNone))
    found.push_back(std::string(enum_name(kPhraseTableActionNames, o.action)) +
                    ": the phrase table is missing; give --phrase-table FILE");
  if (!o.subject.empty() && !o.memory.phrase_table.empty() && o.subject != o.memory.phrase_table)
    found.push_back("two phrase tables: '" + o.subject + "' and --phrase-table '" +
                    o.memory.phrase_table + "'");
}

}  // namespace

void PhraseTableOptions::describe(OptionTable& table) {
  table.field("action", action, kPhraseTableActionNames, "Action to perform.")
      .value_name("ACTION")
      .positional()
      .required();
  table.field("subject", subject, "Phrase table (the same as --phrase-table).")
      .value_name("TABLE")
      .positional();
  memory.describe_table(table);
  table.field("lowercase", lowercase, "Lowercase the table and the text before matching.");
  describe_match(table);
  describe_build(table);
}

void PhraseTableOptions::describe_match(OptionTable& table) {
  table.section("match");
  table
      .field("input",
             input,
             "Source text, one sentence per line, with words separated by whitespace; - = standard "
             "input.")
      .short_flag("i")
      .value_name("FILE");
  table
      .field("reference",
             reference,
             "Translation of the input. match: also show which target words each slot produces; "
             "rules: report how many phrases of each rule it contains.")
      .alias("ref")
      .value_name("FILE");
  table.field("json", json, "Write one JSON object per sentence instead of text.");
  table
      .field("wrong",
             wrong,
             "rules with --reference: file for the phrases that are not in the reference, with "
             "line and rule.")
      .value_name("FILE")
      .writes_file();
  memory.describe_selection(table);
}

void PhraseTableOptions::describe_build(OptionTable& table) {
  table.section("build");
  table.field("source", source, "Source side of a bitext, tokenized, one sentence per line.")
      .value_name("FILE");
  table.field("target", target, "Target side of the bitext.").value_name("FILE");
  table
      .field("alignment",
             alignment,
             "Word alignment of the bitext (0-0 1-2 …); if not given, the text is aligned first.")
      .value_name("FILE");
  table.field("output", output, "Phrase table to write; - = standard output.")
      .value_name("FILE")
      .writes_file();
  table
      .field("iterations",
             iterations,
             "Number of iterations over the text to train the word alignment.")
      .in(1, 1000);
  table.field("min-count", min_count, "Minimum number of occurrences of a source phrase.")
      .at_least(1);
  table
      .field(
          "min-prob", min_prob, "Minimum fraction of the occurrences that have this translation.")
      .in(0, 1);
  table.field("max-len", max_len, "Maximum number of words in a source or target phrase.")
      .in(1, 1000);
  table
      .field("cvalue",
             cvalue,
             "Minimum C-value of a source phrase (the C-value of a word is 0); 0 = keep all.")
      .at_least(0);
}

/// Options that name a file or a form of output which the action neither reads nor writes.
std::vector<std::string> PhraseTableOptions::unused() const {
  const auto is_any_of = [this](std::initializer_list<PhraseTableAction> actions) {
    return std::ranges::find(actions, action) != actions.end();
  };
  using enum PhraseTableAction;
  std::vector<std::string> found;
  const auto reject = [&](const char* option, bool is_given) {
    if (is_given)
      found.push_back(
          fmt::format("{} does not use {}", enum_name(kPhraseTableActionNames, action), option));
  };
  reject("--wrong", !wrong.empty() && !is_any_of({kRules}));
  reject("--reference", !reference.empty() && !is_any_of({kMatch, kRules}));
  reject("--input", input != "-" && !is_any_of({kMatch, kRules}));
  reject("--json", json && is_any_of({kCheck, kBuild}));
  reject("a phrase table", !table_file().empty() && is_any_of({kBuild}));
  reject("--source, --target, --alignment or --output",
         !is_any_of({kBuild}) && !(source + target + alignment + output).empty());
  return found;
}

std::vector<std::string> PhraseTableOptions::problems() const {
  std::vector<std::string> found = unused();
  const bool reads_input =
      action == PhraseTableAction::kMatch || action == PhraseTableAction::kRules;
  if (reads_input && input == "-" && (table_file() == "-" || reference == "-"))
    found.emplace_back("standard input (-) can be read only once: give --input FILE");
  if (action == PhraseTableAction::kBuild)
    check_build(*this, found);
  else if (action == PhraseTableAction::kRules)
    check_rules(*this, found);
  else
    check_table(*this, found);
  return found;
}

PhraseMemory PhraseTableOptions::make_memory() const {
  PhraseTable table;
  if (!table_file().empty())
    table = PhraseTable::read(table_file(), lowercase);
  return {std::move(table), memory.selection(), lowercase, memory.pn_rules};
}

}  // namespace phraseq
