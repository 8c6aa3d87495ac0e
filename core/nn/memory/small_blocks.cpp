#include "core/nn/memory/small_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <vector>

namespace phraseq::nn {
namespace {

/// The free blocks of one thread, each of kLeast · 2^class bytes including the header.
class SmallBlocks {
 public:
  /// The calling thread's blocks; null while the thread ends.
  static SmallBlocks* of_thread() {
    thread_local bool ended = false;  // outlives `mine`
    if (ended)
      return nullptr;
    thread_local SmallBlocks mine(ended);
    return &mine;
  }

  static int class_of(size_t bytes) {
    const size_t whole = std::max(bytes + sizeof(BlockHeader), kLeast);
    return std::bit_width(whole - 1) - std::bit_width(kLeast - 1);
  }

  BlockHeader* take(int index) {
    auto& blocks = free_[static_cast<size_t>(index)];
    if (blocks.empty())
      return fresh(index);
    BlockHeader* block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void give(BlockHeader* block) {
    const int index = -1 - block->index;
    auto& blocks = free_[static_cast<size_t>(index)];
    if ((blocks.size() + 1) * (kLeast << index) <= kMaxKept) {
      blocks.push_back(block);
    } else {
      std::free(block);
    }
  }

  static BlockHeader* fresh(int index) {
    auto* block = static_cast<BlockHeader*>(std::aligned_alloc(kBlockAlignment, kLeast << index));
    if (block)
      block->index = -1 - index;
    return block;
  }

 private:
  static constexpr size_t kLeast = 256;
  static constexpr size_t kMaxKept = size_t{1} << 18;  // bytes per class
  static constexpr size_t kClasses = 10;  // the last one holds kSmallestCachedBlock and a header

  explicit SmallBlocks(bool& ended) : ended_(ended) {}
  ~SmallBlocks() {
    ended_ = true;
    for (const auto& blocks : free_) {
      for (BlockHeader* block : blocks) std::free(block);
    }
  }

  bool& ended_;
  std::array<std::vector<BlockHeader*>, kClasses> free_;
};

}  // namespace

BlockHeader* take_small_block(size_t bytes) {
  SmallBlocks* const kept = SmallBlocks::of_thread();
  const int index = SmallBlocks::class_of(bytes);
  return kept ? kept->take(index) : SmallBlocks::fresh(index);
}

void free_small_block(BlockHeader* block) {
  if (SmallBlocks* const kept = SmallBlocks::of_thread()) {
    kept->give(block);
  } else {
    std::free(block);
  }
}

}  // namespace phraseq::nn
