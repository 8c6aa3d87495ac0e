#pragma once

#include "core/base/api.h"
#include "core/train/trainer_dependencies.h"

namespace phraseq {

/// Gives all processes the state of the first one: parameters, their average, and the optimizer.
PHRASEQ_API void share_parameters(const TrainerDependencies& dependencies, nn::Precision precision);

}  // namespace phraseq
