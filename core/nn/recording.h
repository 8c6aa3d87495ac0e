#pragma once

#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace torch::nn {
class Module;
}

namespace phraseq::nn {

/// What modules show of themselves in one forward pass, for analyses: attention weights, weights of
/// the words of a phrase … A module records when its context carries a recording, and computes what
/// it would not need otherwise only then.
class PHRASEQ_API Recording {
 public:
  void add(const torch::nn::Module& module, const std::string& what, const at::Tensor& values);

  /// What was recorded by a module of `root`, as "NAME.what" (decoder.layers.0.encoder_attn.weights).
  std::map<std::string, at::Tensor> named(const torch::nn::Module& root) const;

 private:
  struct Entry {
    const torch::nn::Module* module;
    std::string what;
    at::Tensor values;
  };
  std::vector<Entry> entries_;
};

}  // namespace phraseq::nn
