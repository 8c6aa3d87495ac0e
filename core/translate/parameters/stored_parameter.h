#pragma once

#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"

namespace phraseq {

/// Copies a parameter of a checkpoint, which may be quantized: the rows of an I8 matrix are
/// multiplied by their scales.
PHRASEQ_API void copy_parameter(const CheckpointFile& file,
                                const std::string& name,
                                at::Tensor parameter);

/// Adds the reason why `copy_parameter` cannot fill a tensor to `problems`, if there is one (see
/// check_fits).
PHRASEQ_API void check_parameter(const CheckpointFile& file,
                                 const std::string& name,
                                 const at::Tensor& parameter,
                                 std::vector<std::string>& problems);

}  // namespace phraseq
