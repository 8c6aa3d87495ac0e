#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/example.h"
#include "core/data/sequence_conventions.h"

namespace phraseq {

/// Extra of a batch: the links of its sentences' alignments, [links, 2] int64, each the row of a
/// target token and the position of a source token in its sentence.
inline constexpr const char* kAlignmentLinks = "alignment_links";
/// Extra of a batch: the number of links of the same target token, [links] int64.
inline constexpr const char* kAlignmentCounts = "alignment_counts";
/// Extra of a decoder's output on such a batch: the probability with which a target token is
/// aligned with each source token, [target tokens, longest source], differentiable.
inline constexpr const char* kAlignmentProbabilities = "alignment_probabilities";

/// Adds both to a batch of these examples, when any of them has kAlignmentExtra.
PHRASEQ_API void add_alignment_links(const std::vector<Example>& examples,
                                     const SequenceConventions& conventions,
                                     Batch& batch);

/// True if the batch has any links.
PHRASEQ_API bool has_alignment_links(const Batch& batch);

}  // namespace phraseq
