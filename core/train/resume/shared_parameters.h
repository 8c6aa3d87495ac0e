#pragma once

#include "core/base/api.h"
#include "core/train/trainer_dependencies.h"

namespace phraseq {

/// Copies the state of the first process to all others: parameters, their average, and the
/// optimizer.
PHRASEQ_API void share_parameters(const TrainerDependencies& dependencies, nn::Precision precision);

}  // namespace phraseq
