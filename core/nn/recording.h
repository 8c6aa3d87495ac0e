#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace torch::nn {
class Module;
}

namespace phraseq::nn {

/// The tensors that modules record in one forward pass, for analyses: attention weights, weights of
/// the words of a phrase … A module records only if its context has a recording, and only then
/// computes tensors that it would not need otherwise.
///
/// Attention modules record "weights", fp32 (fp64), before dropout:
///
///     [query kinds, heads, query tokens, key kinds, longest key sentence]
///
/// Query tokens are packed like the queries. A kind is an n-gram length; an n-gram is stored at its
/// last token; plain attention has one kind of each. Entries that do not exist are 0. The notes
/// "query_ngrams" and "key_ngrams" hold the n of each kind, if it is not 1, 2, 3 …
class PHRASEQ_API Recording {
 public:
  using Notes = std::map<std::string, std::vector<int64_t>>;

  void add(const torch::nn::Module& module,
           const std::string& what,
           const at::Tensor& values,
           Notes notes = {});

  struct Named {
    std::string name;  ///< "NAME.what" (decoder.layers.0.encoder_attn.weights)
    at::Tensor values;
    Notes notes;
  };
  /// The tensors that modules of `root` recorded, in the order of recording.
  std::vector<Named> in_order(const torch::nn::Module& root) const;
  /// The same by name.
  std::map<std::string, at::Tensor> named(const torch::nn::Module& root) const;

 private:
  struct Entry {
    const torch::nn::Module* module;
    std::string what;
    at::Tensor values;
    Notes notes;
  };
  std::vector<Entry> entries_;
};

}  // namespace phraseq::nn
