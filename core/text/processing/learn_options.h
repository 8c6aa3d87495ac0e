#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The options of `phraseq learn-bpe`.
struct PHRASEQ_API LearnBpeOptions : Options {
  std::vector<std::string> inputs;
  int64_t merges = 10000;
  int64_t min_count = 2;
  std::vector<std::string> moses;  ///< languages of the inputs, to be tokenized first
  bool lowercase = false;
  std::string output = "-";

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Learns the codes of all inputs together; returns the text of a file of codes.
PHRASEQ_API std::string learn_bpe_codes(const LearnBpeOptions& options);

}  // namespace phraseq
