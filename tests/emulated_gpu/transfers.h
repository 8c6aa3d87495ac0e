#pragma once

// What a GPU does while the host continues, and when the host has to wait for it.

#include <string>

#include <ATen/core/Tensor.h>

namespace phraseq::emulated_gpu {

/// Adds a line with the reason why the host waited to the file that PHRASEQ_EMULATED_GPU_WAITS
/// names.
void note_wait(const std::string& reason);

/// Starts a copy to the host; `to` is full of NaN until the host waits for the copy.
void copy_later(const at::Tensor& to, const at::Tensor& from);

/// Completes all copies that were started.
void finish_copies();

}  // namespace phraseq::emulated_gpu
