#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/safetensors/tensor_view.h"

namespace phraseq {

/// The parameters of the architecture `transformer` among fairseq's weights, as views of the same
/// data; with the options of a `transformer_lm`, which have no encoder, those of that architecture.
/// `path` is the weights' file, for messages.
///
/// Names and shapes are the same in fairseq and phraseq. Duplicates are used once: matrices shared
/// by `options` (which must then be equal), the copies that fairseq's fast path keeps, and its
/// buffers. Parameters that are missing, have a different shape, are not floating-point numbers, or
/// are not expected by the options are listed in one FormatError.
PHRASEQ_API std::vector<TensorView> weights_from_fairseq(std::span<const TensorView> weights,
                                                         const std::string& path,
                                                         const nlohmann::json& options,
                                                         int64_t source_vocabulary,
                                                         int64_t target_vocabulary);

}  // namespace phraseq
