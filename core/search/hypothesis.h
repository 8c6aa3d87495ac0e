#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phraseq {

/// One finished translation of one sentence. Logarithms are natural.
struct Hypothesis {
  std::vector<int64_t> tokens;       ///< ends in </s>
  std::vector<double> token_scores;  ///< log p of each token
  std::vector<int64_t> slots = {};   ///< [tokens] the slot whose phrase generated it, -1 = none
  double score = 0;                  ///< after the length penalty; decides the rank
  double log_probability = 0;        ///< the sum of token_scores
  std::vector<std::vector<float>> attention;    ///< [tokens][source time], if requested
  std::vector<std::string> unknown_words = {};  ///< replacements of its <unk>s, with --replace-unk
  std::optional<double> expected_utility = {};  ///< with --mbr
};

}  // namespace phraseq
