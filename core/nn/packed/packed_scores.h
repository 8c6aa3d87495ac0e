#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"
#include "core/nn/deferred_scores.h"

namespace phraseq::nn {

/// The logits of `output` (DecoderOutput::logits) as deferred scores, computed with its packed
/// matrix: tile by tile, so that each tile is in the second-level cache while its maxima, its sum
/// and its best columns are found. Null if the matrix is not packed (packed_matrix). A row's answer
/// depends only on that row.
PHRASEQ_API std::shared_ptr<const DeferredScores> packed_scores(const DecoderOutput& output,
                                                                Context& context);

}  // namespace phraseq::nn
