#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/phrase_memory/phrase_selection.h"

namespace phraseq {

/// Where the phrases of sentences come from, and which of them a sentence gets: what all that reads
/// a phrase memory has in common. Described in parts; each user says for itself when to lowercase.
struct PHRASEQ_API PhraseMemoryOptions {
  std::string phrase_table;
  int64_t pn_slots = 10;
  std::string pn_overlap = "greedy";
  std::string pn_repeat = "slots";
  std::string pn_rules = "none";

  void describe_table(OptionTable& table);
  void describe_selection(OptionTable& table);

  /// Whether there is a table or rules to find phrases with.
  bool any() const { return !phrase_table.empty() || pn_rules != "none"; }
  PhraseSelectionOptions selection() const;
};

}  // namespace phraseq
