#include "core/translate/parameters/mapped_parameters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ATen/ops/from_blob.h>
#include <torch/nn/module.h>

#include "core/checkpoint/safetensors/safetensors_header.h"

namespace phraseq {
namespace {

/// The offset of a parameter within a cache line in the layout for training.
uintptr_t place_in_line(const nn::FlatParameters::Entry& entry) {
  return static_cast<uintptr_t>(entry.offset) * sizeof(float) % kDataAlignment;
}

/// The range of bytes from the beginning of the first parameter to the end of the last one, and the
/// number of bytes of parameters in it.
struct MappedRange {
  std::byte* begin = nullptr;
  std::byte* end = nullptr;
  size_t used = 0;

  /// Returns false for a tensor that cannot be used in place.
  bool add(const TensorView* stored, const nn::FlatParameters::Entry& entry) {
    if (stored == nullptr || stored->dtype != DType::kF32 || stored->bytes.empty() ||
        reinterpret_cast<uintptr_t>(stored->bytes.data()) % kDataAlignment != place_in_line(entry))
      return false;
    auto* data =
        const_cast<std::byte*>(stored->bytes.data());  // CheckpointFile::memory() allows it
    begin = begin == nullptr ? data : std::min(begin, data);
    end = std::max(end, data + stored->bytes.size());
    used += stored->bytes.size();
    return true;
  }

  int64_t elements() const { return (end - begin) / static_cast<int64_t>(sizeof(float)); }
  /// False for training checkpoints, which have the optimizer's state between the parameters.
  bool is_dense() const { return static_cast<size_t>(end - begin) <= used + used / 4; }
};

}  // namespace

std::unique_ptr<nn::FlatParameters> mapped_parameters(const CheckpointFile& file,
                                                      torch::nn::Module& module,
                                                      const nn::FlatParameters& laid_out) {
  MappedRange range;
  for (const auto& entry : laid_out.entries()) {
    const bool is_plain = entry.parameter.is_cpu() && entry.parameter.scalar_type() == at::kFloat;
    if (!is_plain || !range.add(file.find(entry.name), entry))
      return nullptr;
  }
  if (range.begin == nullptr || !range.is_dense())
    return nullptr;
  const at::Tensor values = at::from_blob(
      range.begin,
      {range.elements()},
      [memory = file.memory()](void*) {},
      at::TensorOptions(at::kFloat));  // [elements]
  return std::make_unique<nn::FlatParameters>(
      module, values, [&](const nn::FlatParameters::Entry& entry) {
        return (file.find(entry.name)->bytes.data() - range.begin) /
               static_cast<int64_t>(sizeof(float));
      });
}

}  // namespace phraseq
