#pragma once

// What a GPU does while the host goes on, and when the host has to wait for it.

#include <string>

#include <ATen/core/Tensor.h>

namespace phraseq::emulated_gpu {

/// Adds a line with the reason for which the host waited to the file that
/// PHRASEQ_EMULATED_GPU_WAITS names.
void note_wait(const std::string& reason);

/// A copy to the host that is under way: `to` is full of NaN until the host waits for it.
void copy_later(const at::Tensor& to, const at::Tensor& from);

/// All copies that are under way arrive.
void finish_copies();

}  // namespace phraseq::emulated_gpu
