#pragma once

#include <cstdint>
#include <optional>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/data/batch.h"
#include "core/nn/context.h"
#include "core/train/micro_batches/micro_batch_workers.h"

namespace phraseq {

/// How a training pass computes.
struct PassSettings {
  nn::Precision precision = nn::Precision::kFp32;
  bool checkpoint_activations = false;
  std::optional<double> loss_scale = {};  ///< with fp16
  int64_t finished_updates = 0;           ///< number of updates before this pass
};

/// Computes one forward and backward pass over a batch, and returns its sums. The gradient is added
/// to that of the instance's parameters. `dropout_seed` determines the dropout masks.
PHRASEQ_API LossReport training_pass(const ModelInstance& instance,
                                     const Batch& batch,
                                     const PassSettings& settings,
                                     uint64_t dropout_seed);

}  // namespace phraseq
