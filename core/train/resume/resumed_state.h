#pragma once

#include "core/train/options/checkpoint_options.h"
#include "core/train/train_state.h"

namespace phraseq {

/// The state of a checkpoint that a run goes on with: without what --reset-optimizer and
/// --reset-dataloader leave out, as in fairseq, and without the best score unless `keeps_best`.
TrainState resumed_state(const TrainState& recorded,
                         const CheckpointOptions& options,
                         bool keeps_best);

}  // namespace phraseq
