#include "core/convert/named_tensors.h"

#include <algorithm>
#include <utility>

namespace phraseq {

TensorView* find_tensor(std::vector<TensorView>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

const TensorView* find_tensor(const std::vector<TensorView>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  return found == tensors.end() ? nullptr : &*found;
}

std::optional<TensorView> take_tensor(std::vector<TensorView>& tensors, std::string_view name) {
  const auto found = std::ranges::find(tensors, name, &TensorView::name);
  if (found == tensors.end())
    return std::nullopt;
  TensorView taken = std::move(*found);
  tensors.erase(found);
  return taken;
}

}  // namespace phraseq
