#include "core/nn/functional/device/attention/fused_attention.h"

#include "core/nn/functional/device/attention/flash_attention.h"
#include "core/nn/functional/device/attention/group_attention.h"
#include "core/nn/functional/device/attention/packed_attention.h"

namespace phraseq::nn {

at::Tensor fused_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const SentenceRows& rows,
                           const AttentionLayout& layout,
                           bool causal,
                           double dropout,
                           uint64_t key) {
  if (gpu::packed_attention_applies(q, kv, rows, layout, causal))
    return gpu::packed_attention(q, kv, rows, layout, causal, dropout, key);
  const bool drops = dropout > 0.0 && key != 0;
  if (!drops && flash_attention_applies(q, kv, rows, layout, causal))
    return flash_attention(q, kv, rows, layout, causal);
  return gpu::group_attention(q, kv, rows, layout, causal, dropout, key);
}

}  // namespace phraseq::nn
