#include "core/nn/recording.h"

#include <torch/nn/module.h>

namespace phraseq::nn {

void Recording::add(const torch::nn::Module& module,
                    const std::string& what,
                    const at::Tensor& values,
                    Notes notes) {
  entries_.push_back({&module, what, values.detach(), std::move(notes)});
}

std::vector<Recording::Named> Recording::in_order(const torch::nn::Module& root) const {
  std::map<const torch::nn::Module*, std::string> names;
  for (const auto& item : root.named_modules("", /*include_self=*/false))
    names.emplace(item.value().get(), item.key());
  std::vector<Named> found;
  for (const Entry& entry : entries_) {
    const auto name = names.find(entry.module);
    if (name != names.end())
      found.push_back({name->second + "." + entry.what, entry.values, entry.notes});
  }
  return found;
}

std::map<std::string, at::Tensor> Recording::named(const torch::nn::Module& root) const {
  std::map<std::string, at::Tensor> found;
  for (const Named& entry : in_order(root)) found[entry.name] = entry.values;
  return found;
}

}  // namespace phraseq::nn
