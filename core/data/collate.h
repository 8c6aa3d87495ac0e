#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/example.h"
#include "core/data/sequence_conventions.h"

namespace phraseq {

/// Packs examples, in their order, as a batch. What the decoder is fed is the start token and the
/// target without its </s>; what it should say is the target with it. No target (translating) gives
/// a batch without; some with and some without is a UsageError. The architecture's
/// extension runs last.
PHRASEQ_API Batch collate_pairs(const std::vector<Example>& examples,
                                const SequenceConventions& conventions);

}  // namespace phraseq
