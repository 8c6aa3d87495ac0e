#include "core/distributed/backends/nccl_backend.h"

#ifdef PHRASEQ_HAS_NCCL
#define USE_C10D_NCCL
#include <cstdlib>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "core/base/error.h"

namespace phraseq {

#ifdef PHRASEQ_HAS_NCCL

bool has_nccl() { return true; }

c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank,
                                                    int size,
                                                    at::Device device,
                                                    std::chrono::milliseconds timeout) {
  using c10d::ProcessGroupNCCL;
  // The defaults end the process from another thread, without saying which rank is missing.
  ::setenv("TORCH_NCCL_BLOCKING_WAIT", "1", /*overwrite=*/0);
  ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", /*overwrite=*/0);
  const auto options = ProcessGroupNCCL::Options::create(/*is_high_priority_stream=*/true);
  options->timeout = timeout;
  auto backend = c10::make_intrusive<ProcessGroupNCCL>(
      c10::make_intrusive<c10d::PrefixStore>("nccl", store), rank, size, options);
  backend->setBoundDeviceId(device);
  return backend;
}

#else

bool has_nccl() { return false; }

c10::intrusive_ptr<c10d::Backend> make_nccl_backend(
    const c10::intrusive_ptr<c10d::Store>&, int, int, at::Device, std::chrono::milliseconds) {
  throw UsageError("this build has no NCCL");
}

#endif

}  // namespace phraseq
