#pragma once

#include <cstdint>
#include <string>

#include "core/nn/context.h"
#include "core/run/training/train_run.h"
#include "core/translate/workers.h"

namespace phraseq {

/// The precision that a run trains in: the user's choice, otherwise the one that is fastest on the
/// device.
nn::Precision precision_of(const TrainRun& run);

/// "bf16 (the processor has avx512_bf16)": with the reason if the user leaves the choice open.
std::string precision_text(const TrainRun& run);

/// How the threads of this process compute a batch of --max-tokens.
WorkerSettings thread_settings(const TrainRun& run);
/// The same for a different batch size.
WorkerSettings thread_settings(const TrainRun& run, int64_t max_tokens);

}  // namespace phraseq
