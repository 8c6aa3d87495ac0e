#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"
#include "core/score/mbr/expected_utility.h"
#include "core/score/mbr/nbest_list.h"

namespace phraseq::score {

/// The options of `phraseq mbr`.
struct PHRASEQ_API MbrOptions : Options {
  std::vector<std::string> inputs;
  std::string metric = "chrf";
  std::string target_language;
  MbrWeights weights = MbrWeights::kUniform;
  NBestFormat format = NBestFormat::kFairseq;
  int64_t nbest = 1;
  std::string output = "-";
  PluginOptions plugins;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// The lists of all files: the hypotheses that several files have for a sentence form one list.
/// Throws DataError if the files differ in their number of sentences.
PHRASEQ_API std::vector<NBestList> read_all_lists(const MbrOptions& options);

/// The text of each list with the greatest expected utility; among equal ones, the first.
PHRASEQ_API std::vector<std::string> choose_by_mbr(const std::vector<NBestList>& lists,
                                                   const Metric& metric,
                                                   MbrWeights weights);

}  // namespace phraseq::score
