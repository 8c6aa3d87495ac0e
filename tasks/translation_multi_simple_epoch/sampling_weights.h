#pragma once

#include <vector>

#include "core/data/multilingual/sampled_corpus.h"
#include "core/text/languages/language_pairs.h"
#include "tasks/translation_multi_simple_epoch/multilingual_options.h"

namespace phraseq {

/// The weights that the options request; empty = use every pair once. Given weights are looked up
/// by the names of the pairs, "en-de" or, as in fairseq, "main:en-de". Throws UsageError if a pair
/// has none.
SamplingWeights sampling_weights(const MultilingualOptions& options,
                                 const std::vector<LanguagePair>& pairs);

}  // namespace phraseq
