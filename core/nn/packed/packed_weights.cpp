#include "core/nn/packed/packed_weights.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

namespace phraseq::nn {
namespace {

/// Packed weights, and the memory from which they were packed. The weak reference keeps the
/// storage's address from being reused by another storage.
struct Packed {
  c10::weak_intrusive_ptr<c10::StorageImpl> memory;
  std::unique_ptr<PackedWeights> weights;
};

struct PackedMemories {
  std::shared_mutex mutex;
  std::unordered_map<const c10::StorageImpl*, Packed> all;
  std::atomic<uint64_t> changes = 0;  // number of changes of `all`

  void erase_expired() {
    ++changes;
    std::erase_if(all, [](const auto& entry) { return entry.second.memory.expired(); });
  }

  PackedWeights* find(const c10::StorageImpl* memory) {
    const std::shared_lock lock(mutex);
    const auto found = all.find(memory);
    return found == all.end() ? nullptr : found->second.weights.get();
  }
};

/// The result of a thread's last search, and the number of changes of the memories before it.
struct LastFound {
  const c10::StorageImpl* memory = nullptr;
  uint64_t changes = 0;
  PackedWeights* weights = nullptr;
};

PackedMemories& memories() {
  static PackedMemories& every_one = *new PackedMemories;  // never destroyed
  return every_one;
}

}  // namespace

PackedWeights::Part PackedWeights::part_of(const at::Tensor& weight) {
  return {weight.const_data_ptr(), weight.size(0), weight.stride(0), weight.stride(1)};
}

const PackedMatrix* PackedWeights::find(at::TensorList weights) const {
  const auto [first, last] = entries_.equal_range(weights.front().const_data_ptr());
  for (auto found = first; found != last; ++found) {
    const Entry& entry = found->second;
    bool is_same =
        entry.parts.size() == weights.size() && entry.matrix.depth() == weights.front().size(1);
    for (size_t i = 0; is_same && i < weights.size(); ++i)
      is_same = entry.parts[i] == part_of(weights[i]);
    if (is_same)
      return &entry.matrix;
  }
  return nullptr;
}

const PackedMatrix& PackedWeights::matrix(at::TensorList weights,
                                          const std::function<at::Tensor()>& stack) {
  {
    const std::shared_lock lock(mutex_);
    if (const PackedMatrix* packed = find(weights))
      return *packed;
  }
  const std::unique_lock lock(mutex_);
  if (const PackedMatrix* packed = find(weights))
    return *packed;
  std::vector<Part> parts;
  for (const at::Tensor& weight : weights) parts.push_back(part_of(weight));
  Entry entry{std::move(parts), PackedMatrix(stack(), kind_, &memory_)};
  return entries_.emplace(weights.front().const_data_ptr(), std::move(entry))->second.matrix;
}

void pack_weights(const at::Tensor& parameters, Quantization kind) {
  const std::unique_lock lock(memories().mutex);
  memories().erase_expired();
  const auto storage = parameters.storage().getWeakStorageImpl();
  memories().all.insert_or_assign(parameters.storage().unsafeGetStorageImpl(),
                                  Packed{storage, std::make_unique<PackedWeights>(kind)});
}

int64_t release_packed_weights() {
  const std::unique_lock lock(memories().mutex);
  memories().erase_expired();
  return static_cast<int64_t>(memories().all.size());
}

PackedWeights* packed_weights_of(const at::Tensor& weight) {
  if (!weight.has_storage())
    return nullptr;
  // Nearly always, this is the memory of the previous product, for which no lock is needed.
  thread_local LastFound last;
  const c10::StorageImpl* memory = weight.storage().unsafeGetStorageImpl();
  const uint64_t changes = memories().changes.load(std::memory_order_acquire);
  if (last.memory != memory || last.changes != changes)
    last = {memory, changes, memories().find(memory)};
  return last.weights;
}

}  // namespace phraseq::nn
