#include "core/nn/packed/packed_weights.h"

#include <mutex>
#include <utility>

#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>

namespace phraseq::nn {
namespace {

/// What is packed, by the memory that it was packed from. A weak reference keeps the address of a
/// storage from being given to another one.
struct Packed {
  c10::weak_intrusive_ptr<c10::StorageImpl> memory;
  std::unique_ptr<PackedWeights> weights;
};

struct PackedMemories {
  std::shared_mutex mutex;
  std::unordered_map<const c10::StorageImpl*, Packed> all;

  void erase_expired() {
    std::erase_if(all, [](const auto& entry) { return entry.second.memory.expired(); });
  }
};

PackedMemories& memories() {
  static PackedMemories& every_one = *new PackedMemories;  // used until the process ends
  return every_one;
}

}  // namespace

PackedWeights::Part PackedWeights::part_of(const at::Tensor& weight) {
  return {weight.const_data_ptr(), weight.size(0), weight.stride(0), weight.stride(1)};
}

const PackedMatrix* PackedWeights::find(at::TensorList weights) const {
  const auto found = entries_.find(weights.front().const_data_ptr());
  if (found == entries_.end())
    return nullptr;
  for (const auto& entry : found->second) {
    bool is_same =
        entry->parts.size() == weights.size() && entry->matrix.depth() == weights.front().size(1);
    for (size_t i = 0; is_same && i < weights.size(); ++i)
      is_same = entry->parts[i] == part_of(weights[i]);
    if (is_same)
      return &entry->matrix;
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
  auto entry =
      std::make_unique<Entry>(Entry{std::move(parts), PackedMatrix(stack(), kind_, &memory_)});
  auto& entries = entries_[weights.front().const_data_ptr()];
  entries.push_back(std::move(entry));
  return entries.back()->matrix;
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
  const std::shared_lock lock(memories().mutex);
  const auto found = memories().all.find(weight.storage().unsafeGetStorageImpl());
  return found == memories().all.end() ? nullptr : found->second.weights.get();
}

}  // namespace phraseq::nn
