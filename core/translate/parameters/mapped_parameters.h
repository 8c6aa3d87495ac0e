#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Parameters that are views of a checkpoint's memory, in the order of the file, so that loading
/// copies nothing and processes share what they only read. Names and shapes must have been compared
/// before. Null if they must be copied: if they are not fp32 in the file or the module, if there is
/// much else between them, or if they begin at a different offset within a cache line than in
/// `laid_out`, the module's parameters as they are in training. The order in which a product sums
/// depends on this offset, and a loaded model must give exactly the same results as the saved one.
PHRASEQ_API std::unique_ptr<nn::FlatParameters> mapped_parameters(
    const CheckpointFile& file, torch::nn::Module& module, const nn::FlatParameters& laid_out);

}  // namespace phraseq
