#include "core/phrase_memory/phrase_memory_options.h"

namespace phraseq {
namespace {

/// More than a sentence has words.
constexpr double kMaxSlots = 1000;

}  // namespace

void PhraseMemoryOptions::describe_table(OptionTable& table) {
  table.field("phrase-table", phrase_table, "Phrase table, plain or .gz.").value_name("FILE");
}

void PhraseMemoryOptions::describe_selection(OptionTable& table) {
  table.field("pn-slots", pn_slots, "Maximum number of phrases per sentence.").in(0, kMaxSlots);
  table.field("pn-overlap",
              pn_overlap,
              kPhraseOverlapNames,
              "Which of several overlapping phrases to keep: the longest first, those that cover "
              "the most words, or all that do not overlap a longer one.");
  table.field("pn-repeat",
              pn_repeat,
              kPhraseRepeatNames,
              "Whether a phrase that occurs several times gets one slot per occurrence or one "
              "shared slot.");
  table.field("pn-rules",
              pn_rules,
              kPhraseRulesNames,
              "Also use dates, numbers and names that the rules of these languages translate.");
}

PhraseSelectionOptions PhraseMemoryOptions::selection() const {
  PhraseSelectionOptions options;
  options.slots = pn_slots;
  options.overlap = pn_overlap;
  options.repeat = pn_repeat;
  return options;
}

}  // namespace phraseq
