#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/score/contrastive/contrastive_set.h"

namespace phraseq::score {

/// The options of `phraseq rescore --contrastive`.
struct PHRASEQ_API ContrastiveOptions : Options {
  std::string contrastive;
  ContrastiveColumns columns;
  std::vector<int64_t> distance_edges = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  std::vector<std::string> against;
  bool json = false;
  std::string plot;

  bool wanted() const { return !contrastive.empty(); }
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq::score
