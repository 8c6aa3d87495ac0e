#pragma once

#include <memory>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Parameters that are views of a checkpoint's memory, in the order of the file, so that loading
/// copies nothing and processes share what they only read. Names and shapes were compared before.
/// Null when they must be copied: parameters that are not fp32 in the file or the module, that are
/// not aligned to four bytes, or that have much else between them.
PHRASEQ_API std::unique_ptr<nn::FlatParameters> mapped_parameters(const CheckpointFile& file,
                                                                  torch::nn::Module& module);

}  // namespace phraseq
