#pragma once

#include <cstddef>
#include <vector>

#include "core/base/api.h"
#include "core/data/batching/batch_plan.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// A plan whose batches hold sentences of one part of the corpus each (Corpus::parts).
struct PartPlans {
  BatchPlan plan;
  std::vector<CorpusPart> parts;  ///< a single one without a name if the corpus has none
  std::vector<size_t> part_of_batch;
};

/// Plans each part separately, one after the other.
PHRASEQ_API PartPlans plan_parts(const Corpus& corpus,
                                 const BatchingOptions& options,
                                 int64_t epoch);

}  // namespace phraseq
