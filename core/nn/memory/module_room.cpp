#include "core/nn/memory/module_room.h"

#include <fmt/format.h>

#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"

namespace phraseq::nn {

void require_room_for_modules(const torch::nn::Module& one, size_t count) {
  constexpr double kTimes = 2;
  constexpr double kGiB = 1 << 30;
  double bytes = 0;
  for (const at::Tensor& parameter : one.parameters())
    bytes += static_cast<double>(parameter.nbytes());
  const auto all = bytes * static_cast<double>(count);
  const auto available = static_cast<double>(available_memory());
  if (all > kTimes * available) {
    throw OutOfMemory(
        fmt::format("{} layers of {:.3g} MiB take {:.1f} GiB, and {:.1f} GiB are available",
                    count,
                    bytes / (1 << 20),
                    all / kGiB,
                    available / kGiB));
  }
}

}  // namespace phraseq::nn
