#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/nn/module.h>

namespace phraseq::nn {

/// `NAME.0`, `NAME.1` … of one kind, registered with the owner; `make(i)` makes the i-th as a
/// shared pointer.
template <class Make>
auto register_list(torch::nn::Module& owner, const char* name, int64_t count, const Make& make) {
  auto list = owner.register_module(name, std::make_shared<torch::nn::Module>());
  std::vector<decltype(make(int64_t{}))> modules;
  for (int64_t i = 0; i < count; ++i)
    modules.push_back(list->register_module(std::to_string(i), make(i)));
  return modules;
}

}  // namespace phraseq::nn
