#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Runs `phraseq-preprocess` and `phraseq-train` of the folder `programs` on a few sentences: one
/// update of transformer_tiny with the built-in plugins, in a temporary folder that is removed
/// afterwards. {"loss": nats per token, "seconds", "device", "threads", "processor_level", "cuda",
/// "cuda_devices"} or {"problem", "exit_code"}.
PHRASEQ_API nlohmann::json training_step(const std::string& programs);

}  // namespace phraseq
