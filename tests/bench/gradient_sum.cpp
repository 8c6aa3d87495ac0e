// Measures the sum of gradients over processes, in seconds, for several sizes and types on the
// wire. gradient_sum.py starts the processes.

#include <algorithm>
#include <chrono>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>

#include "core/base/launcher/environment.h"
#include "core/distributed/c10d_group.h"

namespace {

using namespace phraseq;
using Clock = std::chrono::steady_clock;

/// The median time of several sums of `elements` fp32 numbers.
double seconds_of_sum(ProcessGroup& processes, int64_t elements, Wire wire) {
  constexpr int kRepetitions = 7;
  at::Tensor values = at::ones({elements});
  const std::vector<bool> all(static_cast<size_t>(processes.size()), true);
  std::vector<double> seconds;
  for (int i = 0; i <= kRepetitions; ++i) {
    processes.text_of_first("");  // so that all begin together
    const auto start = Clock::now();
    processes.sum_in_rank_order(values, all, wire);
    if (i > 0)
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + kRepetitions / 2, seconds.end());
  return seconds[kRepetitions / 2];
}

}  // namespace

int main() {
  at::set_num_threads(1);
  const DistributedOptions options;
  const Placement place = find_placement(options, process_environment());
  const auto processes = join_processes(place, options, at::kCPU);
  for (const int64_t elements : {1'000, 100'000, 1'000'000, 10'000'000, 60'000'000}) {
    for (const Wire wire : {Wire::kSame, Wire::kBf16}) {
      const double seconds = seconds_of_sum(*processes, elements, wire);
      if (processes->is_first())
        fmt::print("{{\"elements\": {}, \"wire\": \"{}\", \"seconds\": {:.6f}}}\n",
                   elements,
                   wire == Wire::kSame ? "fp32" : "bf16",
                   seconds);
    }
  }
  processes->finish();
}
