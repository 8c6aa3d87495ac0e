#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The number of occurrences of each word.
using WordCounts = std::map<std::string, int64_t>;

/// Learns merges for byte-pair encoding (Sennrich et al. 2016, algorithm 1): in each step, the pair
/// of neighboring symbols that occurs most often is merged; among equally frequent pairs, the
/// greatest one, as in subword-nmt's learn-bpe. Stops after `merges` steps, or when the best pair
/// occurs less than `min_count` times.
PHRASEQ_API std::vector<std::pair<std::string, std::string>> learn_bpe(const WordCounts& words,
                                                                       int64_t merges,
                                                                       int64_t min_count = 2);

/// The text of a file of codes, version 0.2.
PHRASEQ_API std::string bpe_codes_text(
    const std::vector<std::pair<std::string, std::string>>& merges);

}  // namespace phraseq
