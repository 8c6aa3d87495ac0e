#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "core/nn/memory/block_header.h"
#include "core/nn/memory/size_class.h"

namespace phraseq::nn {

/// The sizes of the cache's blocks, in bytes.
struct BlockCounters {
  std::atomic<size_t> mapped = 0;  ///< taken from the system
  std::atomic<size_t> in_use = 0;
  std::atomic<size_t> peak = 0;   ///< highest `in_use`
  std::atomic<size_t> limit = 0;  ///< largest `mapped` allowed; 0 = none

  static BlockCounters& instance();
  void use(size_t bytes);
  bool is_within_limit(size_t more) const { return limit == 0 || mapped + more <= limit; }
};

/// The free large blocks by class. Never destroyed: static destructors may still free tensors.
class BlockCache {
 public:
  static BlockCache& instance();

  /// A free block, otherwise new memory from the system; null if there is none.
  BlockHeader* take(const SizeClass& wanted);
  void give(BlockHeader* block);
  /// Returns all free blocks to the system.
  void release();

 private:
  BlockHeader* kept_or_fresh(const SizeClass& wanted);
  BlockHeader* take_kept(int index);

  // How many classes above the requested one a block may be.
  static constexpr int kLargerClasses = 2;
  static constexpr size_t kClasses = 48 * kSizesPerDoubling + kLargerClasses;
  std::mutex mutex_;
  std::array<std::vector<BlockHeader*>, kClasses> free_;
};

}  // namespace phraseq::nn
