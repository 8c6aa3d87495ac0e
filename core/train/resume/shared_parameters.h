#pragma once

#include "core/base/api.h"
#include "core/train/trainer_dependencies.h"

namespace phraseq {

/// All processes begin with what the first one has: parameters, their average, the optimizer.
PHRASEQ_API void share_parameters(const TrainerDependencies& parts, nn::Precision precision);

}  // namespace phraseq
