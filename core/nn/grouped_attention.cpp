#include "core/nn/grouped_attention.h"

#include "core/nn/cpu_kernels.h"
#include "core/nn/grouped_attention_composite.h"

namespace phraseq::nn {

at::Tensor grouped_attention(const at::Tensor& q,
                             const at::Tensor& kv,
                             const SentenceRows& rows,
                             const AttentionLayout& layout,
                             bool causal,
                             double dropout,
                             Context& context,
                             at::Tensor* weights) {
  const uint64_t key = cpu::dropout_key(dropout, context);
  return composite::grouped_attention(q, kv, rows, layout, causal, dropout, key, weights);
}

}  // namespace phraseq::nn
