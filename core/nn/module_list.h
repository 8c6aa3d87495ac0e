#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "core/nn/memory/module_room.h"

namespace phraseq::nn {

/// Makes modules `NAME.N` of one kind for the given numbers N and registers them with the owner;
/// `make(n)` returns module n as a shared pointer.
template <class Make>
auto register_list(torch::nn::Module& owner,
                   const char* name,
                   const std::vector<int64_t>& numbers,
                   const Make& make) {
  auto list = owner.register_module(name, std::make_shared<torch::nn::Module>());
  std::vector<decltype(make(int64_t{}))> modules;
  for (const int64_t number : numbers) {
    modules.push_back(list->register_module(std::to_string(number), make(number)));
    if (modules.size() == 1)
      require_room_for_modules(*list, numbers.size());
  }
  return modules;
}

/// The same for the numbers 0, 1 … count - 1.
template <class Make>
auto register_list(torch::nn::Module& owner, const char* name, int64_t count, const Make& make) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return register_list(owner, name, numbers, make);
}

}  // namespace phraseq::nn
