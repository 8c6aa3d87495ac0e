#pragma once

#include <string>

#include <c10/core/Device.h>

#include "core/base/api.h"
#include "core/nn/context.h"

namespace phraseq::nn {

/// A precision, and the reason why it was chosen, as a phrase for the log and the run manifest.
struct PrecisionChoice {
  Precision precision = Precision::kFp32;
  std::string reason;
};

/// The precision for `--precision auto`: bf16 if the device multiplies bf16 matrices in hardware,
/// otherwise fp32. Processors need avx512_bf16, GPUs compute capability 8.0 or higher.
PHRASEQ_API PrecisionChoice automatic_precision(const c10::Device& device);

}  // namespace phraseq::nn
