#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/phrase_memory/match_report.h"
#include "core/phrase_memory/phrase_memory.h"
#include "core/phrase_memory/phrase_memory_options.h"
#include "core/phrase_memory/rules/rule_report.h"
#include "core/phrase_memory/table/phrase_table_builder.h"

namespace phraseq {

enum class PhraseTableAction { kNotGiven, kMatch, kCheck, kBuild, kRules };

inline constexpr EnumName<PhraseTableAction> kPhraseTableActionNames[] = {
    {"match", PhraseTableAction::kMatch},
    {"check", PhraseTableAction::kCheck},
    {"build", PhraseTableAction::kBuild},
    {"rules", PhraseTableAction::kRules}};

/// The options of `phraseq phrase-table`.
struct PHRASEQ_API PhraseTableOptions final : Options {
  PhraseTableAction action = PhraseTableAction::kNotGiven;
  std::string subject;
  PhraseMemoryOptions memory;
  bool lowercase = false;
  std::string input = "-";
  std::string reference;
  bool json = false;
  std::string wrong;
  std::string source;
  std::string target;
  std::string alignment;
  std::string output;
  int64_t iterations = 5;
  int64_t min_count = 5;
  double min_prob = 0.95;
  int64_t max_len = 7;
  double cvalue = 0;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The table's file, from either spelling.
  const std::string& table_file() const { return subject.empty() ? memory.phrase_table : subject; }
  PhraseMemory make_memory() const;
  PhraseTableThresholds thresholds() const { return {min_count, min_prob, max_len, cvalue}; }
  MatchSettings match_settings() const { return {input, reference, json}; }
  RuleReportSettings rule_report_settings() const {
    return {memory.pn_rules, input, reference, lowercase};
  }

 private:
  std::vector<std::string> unused() const;
  void describe_match(OptionTable& table);
  void describe_build(OptionTable& table);
};

}  // namespace phraseq
