#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "core/base/api.h"
#include "core/phrase_memory/rules/phrase_rules.h"

namespace phraseq {

/// How the phrases of one rule compare with reference translations.
struct RuleCounts {
  std::string category;
  int64_t found = 0;
  int64_t exact = 0;  ///< the reference has the phrase, word by word
  int64_t equal = 0;  ///< the reference has it, or its date or number in another notation
};

/// How the phrases of all rules compare with reference translations.
struct RuleReport {
  std::map<std::string, RuleCounts> rules;  ///< by their names
  /// Dates and numbers of the references, by category: the denominator of recall.
  std::map<std::string, int64_t> expressions;
};

/// The text and the rules to report on.
struct RuleReportSettings {
  PhraseRules rules = PhraseRules::kNone;
  std::string source;
  std::string reference;
  bool lowercase = false;
};

/// Compares what the rules find in a text with its translation. Phrases that are not found there
/// are written to `wrong`, if it is given: line, rule, source and target, separated by tabs. Throws
/// DataError if the reference has a different number of lines.
PHRASEQ_API RuleReport report_rules(const RuleReportSettings& settings,
                                    std::ostream* wrong = nullptr);

/// One line per rule: name, category, phrases found, correct ones, precision, recall.
PHRASEQ_API std::string rule_report_text(const RuleReport& report);
/// The same as one JSON object.
PHRASEQ_API std::string rule_report_json(const RuleReport& report);

}  // namespace phraseq
