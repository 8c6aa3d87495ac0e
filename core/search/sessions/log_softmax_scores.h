#pragma once

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/decoding_session.h"

namespace phraseq {

/// A step's scores as ln p, [rows, vocab + slots]: their log-softmax, unless they are normalized
/// already.
PHRASEQ_API at::Tensor log_softmax_scores(const StepOutput& output);

}  // namespace phraseq
