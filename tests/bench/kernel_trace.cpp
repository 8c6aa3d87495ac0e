// Sums the time of a program's CUDA kernels, copies and memory settings by name, as in
// results/gpu_*_kernels.txt. A library that the CUDA driver loads into the program; not part of the
// build, because it needs CUPTI, which is part of LibTorch's CUDA wheel:
//
//   g++ -std=c++20 -O2 -shared -fPIC -I$CUDA/include tests/bench/kernel_trace.cpp -o libtrace.so
//   -L$CUDA/lib -l:libcupti.so.13 CUDA_INJECTION64_PATH=$PWD/libtrace.so KERNEL_TRACE=kernels.txt
//   phraseq train …
//
// CUDA is the folder nvidia/cu13 next to the package torch, and $CUDA/lib is in LD_LIBRARY_PATH.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cupti.h>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Total {
  double nanoseconds = 0;
  int64_t count = 0;
};

std::mutex mutex;
std::map<std::string, Total> totals;
uint64_t first_start = std::numeric_limits<uint64_t>::max(), last_end = 0;

template <class Activity>
void add(const std::string& name, const Activity& activity) {
  Total& total = totals[name];
  total.nanoseconds += static_cast<double>(activity.end - activity.start);
  ++total.count;
  first_start = std::min(first_start, activity.start);
  last_end = std::max(last_end, activity.end);
}

void add_record(const CUpti_Activity* record) {
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    add(kernel.name, kernel);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
    add("memcpy " + std::to_string(copy.copyKind), copy);
  } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    add("memset", *reinterpret_cast<const CUpti_ActivityMemset4*>(record));
  }
}

void CUPTIAPI give_buffer(uint8_t** buffer, size_t* size, size_t* max_records) {
  constexpr size_t kBytes = size_t{8} << 20, kAlignment = 8;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, kBytes));
  *size = kBytes;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard<std::mutex> lock(mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) add_record(record);
  std::free(buffer);
}

void write_totals() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard<std::mutex> lock(mutex);
  const char* const path = std::getenv("KERNEL_TRACE");
  std::FILE* const file = path == nullptr ? stderr : std::fopen(path, "w");
  if (file == nullptr)
    return;
  std::vector<std::pair<std::string, Total>> longest_first(totals.begin(), totals.end());
  std::sort(longest_first.begin(), longest_first.end(), [](const auto& a, const auto& b) {
    return a.second.nanoseconds > b.second.nanoseconds;
  });
  Total all;
  for (const auto& [name, total] : longest_first) {
    all.nanoseconds += total.nanoseconds;
    all.count += total.count;
  }
  std::fprintf(file,
               "total %.1f ms in %ld launches; span %.1f ms\n",
               all.nanoseconds / 1e6,
               static_cast<long>(all.count),
               all.count == 0 ? 0.0 : static_cast<double>(last_end - first_start) / 1e6);
  for (const auto& [name, total] : longest_first) {
    std::fprintf(file,
                 "%8.2f ms %5.1f%% %7ld x %8.1f us  %.130s\n",
                 total.nanoseconds / 1e6,
                 100 * total.nanoseconds / all.nanoseconds,
                 static_cast<long>(total.count),
                 total.nanoseconds / 1e3 / static_cast<double>(total.count),
                 name.c_str());
  }
  std::fclose(file);
}

}  // namespace

/// The function that the driver calls first.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
  for (const auto kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                          CUPTI_ACTIVITY_KIND_MEMCPY,
                          CUPTI_ACTIVITY_KIND_MEMSET})
    cuptiActivityEnable(kind);
  std::atexit(write_totals);
  return 1;
}
