#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Parameters that are views of a checkpoint's memory, in the order of the file, so that loading
/// copies nothing and processes share what they only read. Names and shapes were compared before.
/// Null when they must be copied: parameters that are not fp32 in the file or the module, that have
/// much else between them, or that begin at another place of a cache line than in `laid_out`, the
/// module's parameters as they are in training. The order in which a product sums depends on it,
/// and a loaded model computes to the bit what the saved one did.
PHRASEQ_API std::unique_ptr<nn::FlatParameters> mapped_parameters(
    const CheckpointFile& file, torch::nn::Module& module, const nn::FlatParameters& laid_out);

}  // namespace phraseq
