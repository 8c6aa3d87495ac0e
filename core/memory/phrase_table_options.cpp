#include "core/memory/phrase_table_options.h"

namespace phraseq {

void PhraseTableOptions::describe(OptionTable& table) {
  table.field("action", action, "What to do.")
      .one_of({"match", "check"})
      .value_name("ACTION")
      .positional()
      .required();
  table.field("subject", subject, "The phrase table (the same as --phrase-table).")
      .value_name("TABLE")
      .positional();
  table.field("phrase-table", phrase_table, "The phrase table, plain or .gz.").value_name("FILE");
  table.field("lowercase", lowercase, "Lower-case the table and the text before comparing.");

  table.section("match");
  table
      .field("input",
             input,
             "Source text, a sentence a line, words between white space; - = "
             "standard input.")
      .short_flag("i")
      .value_name("FILE");
  table
      .field("reference",
             reference,
             "Its translation: also show which target words each slot "
             "produces.")
      .alias("ref")
      .value_name("FILE");
  table.field("json", json, "One JSON object a sentence in place of text.");
  table.field("pn-slots", pn_slots, "The most phrases that a sentence gets.").at_least(0);
  table
      .field("pn-overlap",
             pn_overlap,
             "Which of overlapping phrases stay: longest first, most "
             "words covered, or none that overlaps a longer one.")
      .one_of({"greedy", "dp", "literal"});
  table
      .field("pn-repeat",
             pn_repeat,
             "A phrase that occurs again gets slots of its own or a "
             "shared one.")
      .one_of({"slots", "shared"});
}

std::vector<std::string> PhraseTableOptions::problems() const {
  std::vector<std::string> found;
  if (table_file().empty())
    found.push_back(action + ": the phrase table is missing");
  if (!subject.empty() && !phrase_table.empty() && subject != phrase_table)
    found.push_back("two phrase tables: '" + subject + "' and '" + phrase_table + "'");
  return found;
}

PhraseSelectionOptions PhraseTableOptions::selection() const {
  PhraseSelectionOptions options;
  options.slots = pn_slots;
  if (pn_overlap == "dp")
    options.overlap = PhraseOverlap::kDynamic;
  if (pn_overlap == "literal")
    options.overlap = PhraseOverlap::kLiteral;
  if (pn_repeat == "shared")
    options.repeat = PhraseRepeat::kShared;
  return options;
}

PhraseMemory PhraseTableOptions::make_memory() const {
  return {PhraseTable::read(table_file(), lowercase), selection(), lowercase};
}

}  // namespace phraseq
