#include "core/distributed/backends/gloo_backend.h"

#ifdef PHRASEQ_HAS_GLOO
#define USE_C10D_GLOO
#include <cstdlib>

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>  // with declarations/gloo/README.md
#endif

#include "core/base/error.h"

namespace phraseq {

#ifdef PHRASEQ_HAS_GLOO

c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    int rank,
                                                    int size,
                                                    const std::string& address,
                                                    std::chrono::milliseconds timeout) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create(timeout);
  const char* const interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(interface != nullptr && *interface != '\0'
                                 ? ProcessGroupGloo::createDeviceForInterface(interface)
                                 : ProcessGroupGloo::createDeviceForHostname(address));
  return c10::make_intrusive<ProcessGroupGloo>(store, rank, size, options);
}

#else

c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>&,
                                                    int,
                                                    int,
                                                    const std::string&,
                                                    std::chrono::milliseconds) {
  throw UsageError("this build cannot train with several processes: its LibTorch has no Gloo",
                   "Build phraseq with the PyTorch wheel, or train in one process.");
}

#endif

}  // namespace phraseq
