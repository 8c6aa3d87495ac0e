#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// A parameter of a checkpoint, which may be quantized: the rows of an I8 matrix are multiplied by
/// their scales.
PHRASEQ_API void copy_parameter(const CheckpointFile& file,
                                const std::string& name,
                                at::Tensor parameter);

/// What prevents `copy_parameter` from filling a tensor, one sentence for each name (see
/// check_fits).
PHRASEQ_API void check_parameter(const CheckpointFile& file,
                                 const std::string& name,
                                 const at::Tensor& parameter,
                                 std::vector<std::string>& problems);

}  // namespace phraseq
