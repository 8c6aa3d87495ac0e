#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// The tensor of this name; null if there is none.
TensorView* find_tensor(std::vector<TensorView>& tensors, std::string_view name);
const TensorView* find_tensor(const std::vector<TensorView>& tensors, std::string_view name);

/// Removes the tensor of this name and returns it; nothing if there is none.
std::optional<TensorView> take_tensor(std::vector<TensorView>& tensors, std::string_view name);

}  // namespace phraseq
