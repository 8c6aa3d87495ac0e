#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/data/example.h"
#include "core/data/sequence_conventions.h"

namespace phraseq {

/// Packs examples, in their order, into a batch. The decoder's input is the start token followed by
/// the target without its </s>; its expected output is the target with </s>. If no example has a
/// target (translation), the batch has none either. Throws UsageError if only some examples have
/// one. The architecture's extension runs last.
PHRASEQ_API Batch collate_pairs(const std::vector<Example>& examples,
                                const SequenceConventions& conventions);

}  // namespace phraseq
