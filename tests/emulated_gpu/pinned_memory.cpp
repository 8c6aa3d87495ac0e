#include "tests/emulated_gpu/pinned_memory.h"

#include <memory>
#include <mutex>
#include <set>

#include <c10/core/CPUAllocator.h>

namespace phraseq::emulated_gpu {
namespace {

struct PinnedBlocks {
  std::mutex mutex;
  std::set<const void*> addresses;
};

PinnedBlocks& blocks() {
  static auto* const only = new PinnedBlocks;  // tensors may outlive static objects
  return *only;
}

class PinnedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    auto block = std::make_unique<c10::DataPtr>(c10::GetCPUAllocator()->allocate(bytes));
    void* const address = block->get();
    const std::lock_guard lock(blocks().mutex);
    blocks().addresses.insert(address);
    return {address, block.release(), &free_block, c10::kCPU};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  static void free_block(void* context) {
    const std::unique_ptr<c10::DataPtr> block(static_cast<c10::DataPtr*>(context));
    const std::lock_guard lock(blocks().mutex);
    blocks().addresses.erase(block->get());
  }
};

}  // namespace

c10::Allocator& pinned_allocator() {
  static auto* const only = new PinnedAllocator;
  return *only;
}

bool is_pinned(const void* address) {
  const std::lock_guard lock(blocks().mutex);
  return blocks().addresses.count(address) > 0;
}

}  // namespace phraseq::emulated_gpu
