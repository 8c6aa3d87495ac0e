#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// A stretch of the flat gradients that is summed over the processes at once.
struct GradientBucket {
  int64_t begin = 0;       ///< elements from the buffer's start
  int64_t elements = 0;    ///< including those between parameters
  int64_t parameters = 0;  ///< those that have a gradient in it
};

/// The buckets in the order in which they are sent. Together, they cover the whole buffer.
struct BucketPlan {
  std::vector<GradientBucket> buckets;
  std::vector<size_t> bucket_of;  ///< by the number of the parameter among the entries
};

/// Buckets of at most `most_elements`, or of a single parameter that is larger. They follow the
/// parameters in reverse, roughly as the backward pass completes their gradients: first the
/// matrices, then the vectors, which the flat buffer keeps after all matrices and of which those of
/// the first layers are complete only at the end. The plan depends only on the model, so it is
/// equal on all ranks.
PHRASEQ_API BucketPlan plan_buckets(const nn::FlatParameters& parameters, int64_t most_elements);

}  // namespace phraseq
