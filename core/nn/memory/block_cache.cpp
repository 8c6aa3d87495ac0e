#include "core/nn/memory/block_cache.h"

#include <cstdint>

#include <sys/mman.h>

#include "core/base/memory/available_memory.h"

namespace phraseq::nn {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{1} << 21;

size_t mapped_bytes(const SizeClass& size) {
  return (size.bytes + sizeof(BlockHeader) + kPage - 1) / kPage * kPage;
}

/// Whether the machine has `bytes` more. The system promises memory that it does not have and kills
/// the process when the memory is used, so this checks after every 64 MiB that were mapped. The
/// same amount must be left for allocations between two checks, here or by libraries.
bool is_available(size_t bytes) {
  constexpr size_t kLook = size_t{64} << 20;
  static std::atomic<size_t> since_last_look = 0;
  if (since_last_look.fetch_add(bytes) + bytes < kLook)
    return true;
  const bool fits = bytes + kLook < available_memory();
  if (fits)
    since_last_look = 0;  // otherwise, the next request checks again
  return fits;
}

/// Maps new memory from the system; large blocks begin at the start of a huge page. Null if there
/// is no memory.
BlockHeader* map_block(const SizeClass& size) {
  const size_t bytes = mapped_bytes(size);
  if (!BlockCounters::instance().is_within_limit(bytes) || !is_available(bytes))
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
  auto* header = reinterpret_cast<BlockHeader*>(start);
  header->index = size.index;
  BlockCounters::instance().mapped += bytes;
  return header;
}

void unmap_block(BlockHeader* block) {
  const size_t bytes = mapped_bytes(size_class_at(block->index));
  munmap(block, bytes);
  BlockCounters::instance().mapped -= bytes;
}

}  // namespace

BlockCounters& BlockCounters::instance() {
  static BlockCounters counters;
  return counters;
}

void BlockCounters::use(size_t bytes) {
  const size_t now = in_use.fetch_add(bytes) + bytes;
  size_t before = peak.load();
  while (before < now && !peak.compare_exchange_weak(before, now)) {
  }
}

BlockCache& BlockCache::instance() {
  static BlockCache* cache = new BlockCache;
  return *cache;
}

BlockHeader* BlockCache::take(const SizeClass& wanted) {
  BlockHeader* const block = kept_or_fresh(wanted);
  if (block)
    BlockCounters::instance().use(mapped_bytes(size_class_at(block->index)));
  return block;
}

void BlockCache::give(BlockHeader* block) {
  BlockCounters::instance().in_use -= mapped_bytes(size_class_at(block->index));
  const std::lock_guard lock(mutex_);
  free_[static_cast<size_t>(block->index)].push_back(block);
}

void BlockCache::release() {
  const std::lock_guard lock(mutex_);
  for (auto& blocks : free_) {
    for (BlockHeader* block : blocks) unmap_block(block);
    blocks.clear();
  }
}

BlockHeader* BlockCache::kept_or_fresh(const SizeClass& wanted) {
  if (BlockHeader* kept = take_kept(wanted.index))
    return kept;
  if (BlockHeader* fresh = map_block(wanted))
    return fresh;
  release();
  return map_block(wanted);
}

/// Returns a free block of this class or of a slightly larger one, so that batches of varying size
/// share their blocks; null if there is none.
BlockHeader* BlockCache::take_kept(int index) {
  const std::lock_guard lock(mutex_);
  for (int i = index; i <= index + kLargerClasses; ++i) {
    auto& blocks = free_[static_cast<size_t>(i)];
    if (blocks.empty())
      continue;
    BlockHeader* block = blocks.back();
    blocks.pop_back();
    return block;
  }
  return nullptr;
}

}  // namespace phraseq::nn
