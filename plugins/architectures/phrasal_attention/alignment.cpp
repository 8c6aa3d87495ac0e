#include "plugins/architectures/phrasal_attention/alignment.h"

#include <algorithm>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace phraseq::phrasal {
namespace {

/// Divides the share of each n-gram, named by its last token, equally among its tokens: both [rows,
/// src_time].
at::Tensor spread(const at::Tensor& shares, int64_t n) {
  const int64_t time = shares.size(1);
  const at::Tensor tokens = at::arange(1, time + 1, shares.options()).clamp_max(n);  // [src_time]
  const at::Tensor each = shares / tokens;  // [rows, src_time]
  at::Tensor sum = each;
  for (int64_t back = 1; back < std::min(n, time); ++back)
    sum = sum + at::constant_pad_nd(each, {-back, back});  // [rows, src_time]
  return sum;
}

}  // namespace

at::Tensor align_to_tokens(const at::Tensor& weights,
                           const std::vector<int64_t>& lengths,
                           const at::Tensor& is_first) {
  const at::Tensor mean = weights.mean(1).sum(0);  // [query tokens, key kinds, src_time]
  at::Tensor shares =
      at::zeros({mean.size(0), mean.size(2)}, mean.options());  // [query tokens, src_time]
  for (size_t kind = 0; kind < lengths.size(); ++kind)
    shares =
        shares + spread(mean.select(1, static_cast<int64_t>(kind)),  // [query tokens, src_time]
                        lengths[kind]);
  if (weights.size(0) == 1)
    return shares;
  return at::where(is_first.unsqueeze(1), shares, shares / 2);  // [query tokens, src_time]
}

}  // namespace phraseq::phrasal
