#pragma once

#include <vector>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// Parameters with the names of fairseq 0.10 and later: earlier versions call the matrix of the
/// output `embed_out` (to 0.9), keep query, key and value in one `in_proj_weight` (to 0.8), and
/// number the norms of a layer (to 0.6).
PHRASEQ_API std::vector<TensorView> with_present_names(const std::vector<TensorView>& weights);

}  // namespace phraseq
