#include "core/nn/recording.h"

#include <torch/nn/module.h>

namespace phraseq::nn {

void Recording::add(const torch::nn::Module& module,
                    const std::string& what,
                    const at::Tensor& values) {
  entries_.push_back({&module, what, values.detach()});
}

std::map<std::string, at::Tensor> Recording::named(const torch::nn::Module& root) const {
  std::map<std::string, at::Tensor> found;
  for (const auto& item : root.named_modules("", /*include_self=*/false)) {
    for (const Entry& entry : entries_) {
      if (entry.module == item.value().get())
        found[item.key() + "." + entry.what] = entry.values;
    }
  }
  return found;
}

}  // namespace phraseq::nn
