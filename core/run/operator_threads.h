#pragma once

#include <cstddef>
#include <cstdint>

#include <ATen/Parallel.h>

#include "core/base/threads.h"

namespace phraseq {

/// Sets how many threads LibTorch's operators use. Throws an Error if the system does not start
/// them.
inline void set_operator_threads(int64_t count) {
  at::set_num_threads(static_cast<int>(count));
  require_threads(static_cast<size_t>(at::get_num_threads()) - 1);
}

}  // namespace phraseq
