#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Parameters that are views of a checkpoint's memory, in the order of the file, so that loading
/// copies nothing and processes share the memory. Names and shapes must have been compared before.
/// Null if they must be copied: if they are not fp32 in the file or the module, if the file has
/// much other data between them, or if their offsets within a cache line differ from those in
/// `laid_out`, the module's parameters in the layout for training. The order in which a product
/// sums depends on this offset, and a loaded model must give exactly the same results as the saved
/// one.
PHRASEQ_API std::unique_ptr<nn::FlatParameters> mapped_parameters(
    const CheckpointFile& file, torch::nn::Module& module, const nn::FlatParameters& laid_out);

}  // namespace phraseq
