#pragma once

#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

inline constexpr std::string_view kEncoderMatrix = "encoder.embed_tokens.weight";
inline constexpr std::string_view kDecoderMatrix = "decoder.embed_tokens.weight";

/// Gives the weights the names of fairseq, from which Hugging Face's code came: "model." is left
/// out, `lm_head` is the output projection, and `shared.weight` becomes those of the matrices
/// `shared` that are missing.
void rename_hf_weights(std::vector<TensorView>& weights,
                       const std::vector<std::string_view>& shared);

}  // namespace phraseq
