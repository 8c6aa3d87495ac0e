#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/functional/grouped_attention.h"

namespace phraseq::nn::gpu {

/// The rows of packed sentences in tiles of up to 16, each with the rows of the other side in its
/// sentence, on a device: [tiles, 5] int32 (AttentionTile of heads.cu). The last few that a
/// thread requested are kept, as in device_offsets().
PHRASEQ_API at::Tensor attention_tiles(const std::vector<int64_t>& offsets,
                                       const std::vector<int64_t>& other_offsets,
                                       at::Device device);

/// The rows of both sides of each sentence, on a device: [sentences, 4] int32 (AttentionSentence of
/// attention.cu). Kept in the same way.
PHRASEQ_API at::Tensor attention_sentences(const SentenceRows& rows, at::Device device);

}  // namespace phraseq::nn::gpu
