#pragma once

#include <string_view>

namespace phraseq {

/// How the tensors of a translator's checkpoint are distinguished: by the beginning of their names.
inline constexpr std::string_view kBlobPrefix = "blob.";
inline constexpr std::string_view kOptimizerPrefix = "optimizer.";
inline constexpr std::string_view kScalesPrefix = "scales.";  ///< of the rows of an I8 parameter

enum class TensorRole {
  kParameter,  ///< a weight of the model
  kScales,     ///< what the rows of a quantized weight are multiplied by
  kBlob,       ///< a file of the task: a subword model
  kOptimizer,  ///< what only training reads
};

inline TensorRole role_of(std::string_view name) {
  if (name.starts_with(kBlobPrefix))
    return TensorRole::kBlob;
  if (name.starts_with(kOptimizerPrefix))
    return TensorRole::kOptimizer;
  if (name.starts_with(kScalesPrefix))
    return TensorRole::kScales;
  return TensorRole::kParameter;
}

}  // namespace phraseq
