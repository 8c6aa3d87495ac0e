#pragma once

#include <cstdint>

namespace phraseq {

/// The number of GPUs of this machine.
int64_t gpu_count();

/// The GPU of one of several processes on a machine; the machine must have one.
int64_t gpu_of_process(int64_t local_rank);

/// Uses an equal part of the cores for each of `local_processes` on this machine. Does nothing for
/// a single process or if OMP_NUM_THREADS is set.
void take_share_of_cores(int local_processes);

}  // namespace phraseq
