#include "core/nn/memory/caching_allocator.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"
#include "core/nn/memory/block_cache.h"
#include "core/nn/memory/block_header.h"
#include "core/nn/memory/size_class.h"
#include "core/nn/memory/small_blocks.h"

namespace phraseq::nn {
namespace {

constexpr size_t kLargest = size_t{1} << 46;  // 64 TiB: larger than any address space
constexpr double kMebibyte = 1 << 20;

void free_block(void* data) {
  if (!data)
    return;
  BlockHeader* header = static_cast<BlockHeader*>(data) - 1;
  if (header->index < 0) {
    free_small_block(header);
  } else {
    BlockCache::instance().give(header);
  }
}

class CachingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* data = bytes == 0 ? nullptr : make_block(bytes);
    return {data, data, &free_block, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }

 private:
  static void* make_block(size_t bytes) {
    if (bytes > kLargest)
      throw OutOfMemory(fmt::format("a tensor of {:.3g} bytes", static_cast<double>(bytes)));
    BlockHeader* header = bytes < kSmallestCachedBlock
                              ? take_small_block(bytes)
                              : BlockCache::instance().take(size_class_for(bytes));
    if (!header)
      throw OutOfMemory(
          fmt::format("a tensor of {:.1f} MiB does not fit into the {:.1f} MiB that are left",
                      static_cast<double>(bytes) / kMebibyte,
                      static_cast<double>(available_memory()) / kMebibyte));
    return header + 1;
  }
};

bool& installed() {
  static bool is_installed = false;
  return is_installed;
}

}  // namespace

void install_caching_allocator() {
  const char* value = std::getenv("PHRASEQ_ALLOCATOR");
  const std::string_view name = value ? value : "";
  if (name == "system")
    return;
  if (!name.empty())
    log_warning(fmt::format("PHRASEQ_ALLOCATOR={} is not 'system' and is ignored", name));
  static CachingAllocator* allocator = new CachingAllocator;  // outlives every tensor
  constexpr uint8_t kPriority = 1;                            // LibTorch's own has 0
  c10::SetCPUAllocator(allocator, kPriority);
  installed() = true;
}

bool has_caching_allocator() { return installed(); }

CachedMemory cached_memory() {
  const BlockCounters& counters = BlockCounters::instance();
  return {counters.mapped, counters.in_use, counters.peak};
}

void reset_peak_of_cached_memory() {
  BlockCounters& counters = BlockCounters::instance();
  counters.peak = counters.in_use.load();
}

void limit_cached_memory(size_t bytes) { BlockCounters::instance().limit = bytes; }

void release_cached_memory() { BlockCache::instance().release(); }

}  // namespace phraseq::nn
