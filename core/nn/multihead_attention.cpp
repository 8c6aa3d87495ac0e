#include "core/nn/multihead_attention.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::nn {
namespace {

std::vector<at::Tensor> biases_of(std::initializer_list<const LinearMap*> maps) {
  std::vector<at::Tensor> biases;
  for (const LinearMap* map : maps) {
    if (map->bias.defined())
      biases.push_back(map->bias);
  }
  return biases;
}

}  // namespace

MultiheadAttention::MultiheadAttention(const MultiheadAttentionOptions& options)
    : options_(options) {
  if (options.heads < 1 || options.model % options.heads != 0) {
    throw UsageError(fmt::format(
        "{} attention heads do not divide the model width {}", options.heads, options.model));
  }
  const auto make = [&](const char* name, int64_t in, MapRole role) {
    auto map = std::make_shared<LinearMap>(in, options.model, options.bias, role);
    return register_module(name, map);
  };
  k_proj = make("k_proj", options.key_model, MapRole::kAttentionInput);
  v_proj = make("v_proj", options.key_model, MapRole::kAttentionInput);
  q_proj = make("q_proj", options.model, MapRole::kAttentionInput);
  out_proj = make("out_proj", options.model, MapRole::kAttentionOutput);
}

double MultiheadAttention::scale() const {
  return 1.0 / std::sqrt(static_cast<double>(options_.model / options_.heads));
}

AttentionOptions MultiheadAttention::attention_options(bool causal) const {
  return {options_.heads, scale(), options_.dropout, causal};
}

at::Tensor MultiheadAttention::project_kvq(const at::Tensor& x, Context& context) const {
  return stacked_linear(x,
                        {k_proj->weight, v_proj->weight, q_proj->weight},
                        biases_of({k_proj.get(), v_proj.get(), q_proj.get()}),
                        context);
}

at::Tensor MultiheadAttention::project_memory(const at::Tensor& memory, Context& context) const {
  return stacked_linear(
      memory, {k_proj->weight, v_proj->weight}, biases_of({k_proj.get(), v_proj.get()}), context);
}

at::Tensor MultiheadAttention::attend_self(const at::Tensor& x,
                                           const PackedTokens& tokens,
                                           bool causal,
                                           Context& context) const {
  const at::Tensor heads =
      self_attention(project_kvq(x, context), tokens, attention_options(causal), context);
  return out_proj->forward(heads, context);
}

at::Tensor MultiheadAttention::attend_cross(const at::Tensor& x,
                                            const PackedTokens& queries,
                                            const at::Tensor& memory,
                                            const PackedTokens& keys,
                                            Context& context,
                                            at::Tensor* weights) const {
  const at::Tensor q = q_proj->forward(x, context);
  const at::Tensor kv = project_memory(memory, context);
  const at::Tensor heads =
      cross_attention(q, kv, queries, keys, attention_options(false), context, weights);
  return out_proj->forward(heads, context);
}

at::Tensor MultiheadAttention::step_self(const at::Tensor& x,
                                         SelfAttentionCache& cache,
                                         const Ancestry& ancestry,
                                         Context& context) const {
  const at::Tensor heads = cache.attend(project_kvq(x, context), ancestry, options_.heads, scale());
  return out_proj->forward(heads, context);
}

at::Tensor MultiheadAttention::step_cross(const at::Tensor& x,
                                          const at::Tensor& memory_kv,
                                          const std::vector<int64_t>& offsets,
                                          const std::vector<int64_t>& sentence_of_row,
                                          Context& context,
                                          at::Tensor* weights) const {
  const at::Tensor q = q_proj->forward(x, context);
  const at::Tensor heads = decode_cross_attention(
      q, memory_kv, offsets, sentence_of_row, options_.heads, scale(), weights);
  return out_proj->forward(heads, context);
}

void MultiheadAttention::initialise(Initialiser& initialiser) {
  for (const auto& map : {k_proj, v_proj, q_proj, out_proj}) map->initialise(initialiser);
}

}  // namespace phraseq::nn
