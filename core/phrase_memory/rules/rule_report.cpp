#include "core/phrase_memory/rules/rule_report.h"

#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/line_reader.h"
#include "core/phrase_memory/rules/plain_tokens.h"
#include "core/phrase_memory/rules/quantities/quantities.h"
#include "core/text/unicode.h"

namespace phraseq {
namespace {

QuantityLanguage target_language(PhraseRules rules) {
  return rules == PhraseRules::kEnglishGerman ? QuantityLanguage::kGerman
                                              : QuantityLanguage::kEnglish;
}

/// A number of four digits that can be a year belongs to the dates.
bool is_year(double number) {
  return number >= 1000 && number < 2100 &&
         number == static_cast<double>(static_cast<int64_t>(number));
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string share_text(int64_t part, int64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.3f}", share(part, whole));
}

int64_t expressions_of(const RuleReport& report, const std::string& category) {
  const auto found = report.expressions.find(category);
  return found == report.expressions.end() ? 0 : found->second;
}

/// A person's name may have the ending of the German genitive: Tim Allens.
bool has_genitive(PhraseRules rules,
                  const std::vector<std::string>& text,
                  std::vector<std::string> name) {
  if (rules != PhraseRules::kEnglishGerman || name.empty())
    return false;
  name.back() += 's';
  return has_phrase(text, name);
}

void count_expressions(const Quantities& reference, RuleReport& report) {
  for (const double number : reference.numbers)
    ++report.expressions[is_year(number) ? "dates" : "numbers"];
  report.expressions["dates"] += static_cast<int64_t>(reference.times.size());
  for (const DateValue& date : reference.dates)
    report.expressions["dates"] += date.is_other_reading ? 0 : 1;
}

/// A reference translation, in which phrases are looked for. `form`: its text, in small letters
/// where case does not count.
class ReferenceSentence {
 public:
  ReferenceSentence(PhraseRules rules, const std::string& text, const std::string& form)
      : rules_(rules),
        quantities_(quantities_in(text, target_language(rules))),
        tokens_(plain_tokens(form)) {}

  const Quantities& quantities() const { return quantities_; }
  bool has_exactly(const std::string& form) const {
    return has_phrase(tokens_, plain_tokens(form));
  }
  /// In another notation or, of a name, with an ending.
  bool has_equal(const std::string& category,
                 const std::string& phrase,
                 const std::string& form) const {
    return category == "names"
               ? has_genitive(rules_, tokens_, plain_tokens(form))
               : has_quantities(quantities_, quantities_in(phrase, target_language(rules_)));
  }

 private:
  PhraseRules rules_;
  Quantities quantities_;
  std::vector<std::string> tokens_;
};

/// A line of the text and its translation.
struct SentencePair {
  std::string source;
  std::string reference;
  int64_t line = 0;  ///< its number, from 1
};

/// Adds a sentence pair to the report; the other arguments are those of report_rules.
void add(RuleReport& report,
         const RuleReportSettings& settings,
         const SentencePair& pair,
         std::ostream* wrong) {
  const auto form = [&](const std::string& text) {
    return settings.lowercase ? to_lowercase(text) : text;
  };
  const ReferenceSentence translation(settings.rules, pair.reference, form(pair.reference));
  count_expressions(translation.quantities(), report);
  for (const RulePhrase& phrase :
       find_rule_phrases(settings.rules, phrase_words(form(pair.source)))) {
    const std::string target = phrase_text(phrase.entry.target);
    RuleCounts& counts = report.rules[phrase.rule];
    counts.category = phrase.entry.category;
    const bool is_exact = translation.has_exactly(form(target));
    const bool is_equal = is_exact || translation.has_equal(counts.category, target, form(target));
    ++counts.found;
    counts.exact += is_exact ? 1 : 0;
    counts.equal += is_equal ? 1 : 0;
    if (!is_equal && wrong != nullptr)
      *wrong << fmt::format(
          "{}\t{}\t{}\t{}\n", pair.line, phrase.rule, phrase_text(phrase.entry.source), target);
  }
}

}  // namespace

RuleReport report_rules(const RuleReportSettings& settings, std::ostream* wrong) {
  LineReader sources(settings.source);
  LineReader references(settings.reference);
  RuleReport report;
  constexpr const char* kHint = "Source and reference must have the same number of lines.";
  SentencePair pair;
  while (sources.next(pair.source)) {
    if (!references.next(pair.reference))
      reject_lengths(sources, references, kHint);
    pair.line = sources.line_number();
    add(report, settings, pair, wrong);
  }
  if (references.next(pair.reference))
    reject_lengths(references, sources, kHint);
  return report;
}

std::string rule_report_text(const RuleReport& report) {
  std::string text = fmt::format("{:20} {:9} {:>7} {:>7} {:>9} {:>7} {:>9} {:>7}\n",
                                 "rule",
                                 "category",
                                 "found",
                                 "exact",
                                 "precision",
                                 "equal",
                                 "precision",
                                 "recall");
  for (const auto& [name, counts] : report.rules) {
    text += fmt::format("{:20} {:9} {:7} {:7} {:>9} {:7} {:>9} {:>7}\n",
                        name,
                        counts.category,
                        counts.found,
                        counts.exact,
                        share_text(counts.exact, counts.found),
                        counts.equal,
                        share_text(counts.equal, counts.found),
                        share_text(counts.equal, expressions_of(report, counts.category)));
  }
  return text;
}

std::string rule_report_json(const RuleReport& report) {
  nlohmann::ordered_json object;
  object["rules"] = nlohmann::ordered_json::object();
  for (const auto& [name, counts] : report.rules) {
    object["rules"][name] = {{"category", counts.category},
                             {"found", counts.found},
                             {"exact", counts.exact},
                             {"equal", counts.equal}};
  }
  object["expressions"] = report.expressions;
  return object.dump() + '\n';
}

}  // namespace phraseq
