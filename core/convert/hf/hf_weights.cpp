#include "core/convert/hf/hf_weights.h"

#include "core/convert/named_tensors.h"

namespace phraseq {
namespace {

constexpr std::string_view kModel = "model.";

}  // namespace

void rename_hf_weights(std::vector<TensorView>& weights,
                       const std::vector<std::string_view>& shared) {
  for (TensorView& tensor : weights) {
    if (tensor.name.starts_with(kModel))
      tensor.name.erase(0, kModel.size());
    if (tensor.name == "lm_head.weight")
      tensor.name = "decoder.output_projection.weight";
  }
  const auto matrix = take_tensor(weights, "shared.weight");
  if (!matrix)
    return;
  for (const std::string_view name : shared) {
    if (find_tensor(weights, name) != nullptr)
      continue;
    weights.push_back(*matrix);
    weights.back().name = name;
  }
}

}  // namespace phraseq
