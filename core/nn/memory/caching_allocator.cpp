#include "core/nn/memory/caching_allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"

namespace phraseq::nn {
namespace {

constexpr size_t kBlockAlignment = 64;
constexpr size_t kSmallest = size_t{1} << 16;  // smaller blocks are malloc's (SmallBlocks)
constexpr size_t kLargest = size_t{1} << 46;   // 64 TiB: no address space has more
constexpr double kMebibyte = 1 << 20;
constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{1} << 21;
constexpr int kStepsPerDoubling = 4;
constexpr int kLargerClasses = 2;  // how far above its own class a request may take a kept block

/// Block sizes: kSmallest · 2^(index / 4) · (1 + (index mod 4) / 4).
struct SizeClass {
  int index;
  size_t bytes;
};

SizeClass class_at(int index) {
  const size_t base = kSmallest << (index / kStepsPerDoubling);
  const auto step = static_cast<size_t>(index % kStepsPerDoubling);
  return {index, base + base / kStepsPerDoubling * step};
}

/// The smallest class that holds `bytes`.
SizeClass class_for(size_t bytes) {
  if (bytes <= kSmallest)
    return class_at(0);
  const int power = std::bit_width(bytes - 1) - 1;
  const size_t base = size_t{1} << power, step = base / kStepsPerDoubling;
  const auto steps = static_cast<int>((bytes - base + step - 1) / step);
  return class_at((power - std::countr_zero(kSmallest)) * kStepsPerDoubling + steps);
}

/// In front of every block's data: the class that the block was made for; negative: malloc's, -1 -
/// its class of SmallBlocks.
struct alignas(kBlockAlignment) Header {
  int index;
};

size_t mapped_bytes(const SizeClass& size) {
  return (size.bytes + sizeof(Header) + kPage - 1) / kPage * kPage;
}

/// Whether the machine has `bytes` more. The system promises memory that it does not have and kills
/// the process when it is used; hence this look at every 64 MiB that were mapped. As much must be
/// left for what is allocated between two looks, here or by libraries.
bool is_available(size_t bytes) {
  constexpr size_t kLook = size_t{64} << 20;
  static std::atomic<size_t> since_last_look = 0;
  if (since_last_look.fetch_add(bytes) + bytes < kLook)
    return true;
  const bool fits = bytes + kLook < available_memory();
  if (fits)
    since_last_look = 0;  // otherwise the next request looks again
  return fits;
}

/// What the blocks of the cache hold.
struct Counters {
  std::atomic<size_t> mapped = 0;  ///< bytes taken from the system
  std::atomic<size_t> in_use = 0;
  std::atomic<size_t> peak = 0;   ///< highest `in_use`
  std::atomic<size_t> limit = 0;  ///< largest `mapped` allowed; 0 = none

  static Counters& instance() {
    static Counters counters;
    return counters;
  }
  void use(size_t bytes) {
    const size_t now = in_use.fetch_add(bytes) + bytes;
    size_t before = peak.load();
    while (before < now && !peak.compare_exchange_weak(before, now)) {
    }
  }
  bool is_within_limit(size_t more) const { return limit == 0 || mapped + more <= limit; }
};

/// Fresh memory from the system, for large blocks from a huge page's start; null when there is
/// none.
Header* map_block(const SizeClass& size) {
  const size_t bytes = mapped_bytes(size);
  if (!Counters::instance().is_within_limit(bytes) || !is_available(bytes))
    return nullptr;
  const size_t slack = bytes >= kHugePage ? kHugePage : 0;
  void* mapped =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto* start = static_cast<char*>(mapped);
  if (slack > 0) {
    const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(start) % kHugePage) % kHugePage;
    if (before > 0)
      munmap(start, before);
    start += before;
    munmap(start + bytes, slack - before);
    madvise(start, bytes, MADV_HUGEPAGE);
  }
  auto* header = reinterpret_cast<Header*>(start);
  header->index = size.index;
  Counters::instance().mapped += bytes;
  return header;
}

void unmap_block(Header* block) {
  const size_t bytes = mapped_bytes(class_at(block->index));
  munmap(block, bytes);
  Counters::instance().mapped -= bytes;
}

/// Free blocks by class. Never destroyed: static destructors may still free tensors.
class BlockCache {
 public:
  static BlockCache& instance() {
    static BlockCache* cache = new BlockCache;
    return *cache;
  }

  Header* take(const SizeClass& wanted) {
    Header* const block = kept_or_fresh(wanted);
    if (block)
      Counters::instance().use(mapped_bytes(class_at(block->index)));
    return block;
  }

  void give(Header* block) {
    Counters::instance().in_use -= mapped_bytes(class_at(block->index));
    const std::lock_guard lock(mutex_);
    free_[static_cast<size_t>(block->index)].push_back(block);
  }

  void release() {
    const std::lock_guard lock(mutex_);
    for (auto& blocks : free_) {
      for (Header* block : blocks) unmap_block(block);
      blocks.clear();
    }
  }

 private:
  Header* kept_or_fresh(const SizeClass& wanted) {
    if (Header* kept = take_kept(wanted.index))
      return kept;
    if (Header* fresh = map_block(wanted))
      return fresh;
    release();
    return map_block(wanted);
  }

  /// Of the wanted class or one a little larger, so that batches of varying size share their
  /// blocks.
  Header* take_kept(int index) {
    const std::lock_guard lock(mutex_);
    for (int i = index; i <= index + kLargerClasses; ++i) {
      auto& blocks = free_[static_cast<size_t>(i)];
      if (blocks.empty())
        continue;
      Header* block = blocks.back();
      blocks.pop_back();
      return block;
    }
    return nullptr;
  }

  static constexpr size_t kClasses = 48 * kStepsPerDoubling + kLargerClasses;
  std::mutex mutex_;
  std::array<std::vector<Header*>, kClasses> free_;
};

/// One thread's free blocks of malloc, with the header kLeast · 2^class bytes each: a step of
/// decoding asks for the same hundred small tensors again and again, and malloc takes long for
/// aligned memory.
class SmallBlocks {
 public:
  /// Null when the thread ends.
  static SmallBlocks* of_thread() {
    thread_local bool ended = false;  // outlives `mine`
    if (ended)
      return nullptr;
    thread_local SmallBlocks mine(ended);
    return &mine;
  }

  static int class_of(size_t bytes) {
    const size_t whole = std::max(bytes + sizeof(Header), kLeast);
    return std::bit_width(whole - 1) - std::bit_width(kLeast - 1);
  }

  Header* take(int index) {
    auto& blocks = free_[static_cast<size_t>(index)];
    if (blocks.empty())
      return fresh(index);
    Header* block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void give(Header* block) {
    const int index = -1 - block->index;
    auto& blocks = free_[static_cast<size_t>(index)];
    if ((blocks.size() + 1) * (kLeast << index) <= kMaxKept) {
      blocks.push_back(block);
    } else {
      std::free(block);
    }
  }

  static Header* fresh(int index) {
    auto* block = static_cast<Header*>(std::aligned_alloc(kBlockAlignment, kLeast << index));
    if (block)
      block->index = -1 - index;
    return block;
  }

 private:
  static constexpr size_t kLeast = 256;
  static constexpr size_t kMaxKept = size_t{1} << 18;  // bytes of a class
  static constexpr size_t kClasses = 10;               // the last one holds kSmallest and a header

  explicit SmallBlocks(bool& ended) : ended_(ended) {}
  ~SmallBlocks() {
    ended_ = true;
    for (const auto& blocks : free_) {
      for (Header* block : blocks) std::free(block);
    }
  }

  bool& ended_;
  std::array<std::vector<Header*>, kClasses> free_;
};

Header* small_block(size_t bytes) {
  SmallBlocks* const kept = SmallBlocks::of_thread();
  const int index = SmallBlocks::class_of(bytes);
  return kept ? kept->take(index) : SmallBlocks::fresh(index);
}

void free_small_block(Header* block) {
  if (SmallBlocks* const kept = SmallBlocks::of_thread()) {
    kept->give(block);
  } else {
    std::free(block);
  }
}

void free_block(void* data) {
  if (!data)
    return;
  Header* header = static_cast<Header*>(data) - 1;
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
    Header* header =
        bytes < kSmallest ? small_block(bytes) : BlockCache::instance().take(class_for(bytes));
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
  const char* choice = std::getenv("PHRASEQ_ALLOCATOR");
  if (choice && std::string_view(choice) == "system")
    return;
  static CachingAllocator* allocator = new CachingAllocator;  // outlives every tensor
  constexpr uint8_t kPriority = 1;                            // LibTorch's own has 0
  c10::SetCPUAllocator(allocator, kPriority);
  installed() = true;
}

bool has_caching_allocator() { return installed(); }

CachedMemory cached_memory() {
  const Counters& counters = Counters::instance();
  return {counters.mapped, counters.in_use, counters.peak};
}

void reset_peak_of_cached_memory() {
  Counters& counters = Counters::instance();
  counters.peak = counters.in_use.load();
}

void limit_cached_memory(size_t bytes) { Counters::instance().limit = bytes; }

void release_cached_memory() { BlockCache::instance().release(); }

}  // namespace phraseq::nn
