#include "core/phrase_memory/phrase_memory_options.h"

namespace phraseq {
namespace {

/// More than a sentence has words.
constexpr double kMostSlots = 1000;

}  // namespace

void PhraseMemoryOptions::describe_table(OptionTable& table) {
  table.field("phrase-table", phrase_table, "Phrase table, plain or .gz.").value_name("FILE");
}

void PhraseMemoryOptions::describe_selection(OptionTable& table) {
  table.field("pn-slots", pn_slots, "Maximum number of phrases per sentence.").in(0, kMostSlots);
  table
      .field("pn-overlap",
             pn_overlap,
             "Which of several overlapping phrases to keep: the longest first, those that cover "
             "the most words, or all that do not overlap a longer one.")
      .one_of({"greedy", "dp", "literal"});
  table
      .field("pn-repeat",
             pn_repeat,
             "Whether a phrase that occurs repeatedly gets one slot per occurrence or one shared "
             "slot.")
      .one_of({"slots", "shared"});
  table
      .field("pn-rules",
             pn_rules,
             "Also use dates, numbers and names that the rules of these languages translate.")
      .one_of({"none", "zh-en", "en-de", "de-en"});
}

PhraseSelectionOptions PhraseMemoryOptions::selection() const {
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

}  // namespace phraseq
