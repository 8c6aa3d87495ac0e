#include "core/run/machine_share.h"

#include <algorithm>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "core/base/launcher/environment.h"

namespace phraseq {

int64_t gpu_count() { return at::hasCUDA() ? at::getNumGPUs() : 0; }

int64_t gpu_of_process(int64_t local_rank) { return local_rank % gpu_count(); }

void take_share_of_cores(int local_processes) {
  if (local_processes > 1 && !process_environment()("OMP_NUM_THREADS"))
    at::set_num_threads(std::max(1, at::get_num_threads() / local_processes));
}

}  // namespace phraseq
