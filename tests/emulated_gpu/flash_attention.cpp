// FlashAttention of the emulated GPU, computed from the equation sentence by sentence and head by
// head, in fp32, with rounding to 16 bits where the operator rounds. It rejects what the operator
// rejects, and also what the operator would misread: offsets that do not fit the rows, and
// addresses that are not aligned to vectors.

#include <algorithm>
#include <limits>
#include <vector>

#include <ATen/ATen.h>
#include <torch/library.h>

#include "tests/emulated_gpu/device_memory.h"

/// The answer of LibTorch's CUDA runtime: compute capability 9.0, and no other attribute.
extern "C" __attribute__((visibility("default"))) int cudaDeviceGetAttribute(int* value,
                                                                             int attribute,
                                                                             int /*device*/) {
  constexpr int kMajor = 75, kMinor = 76;
  if (attribute != kMajor && attribute != kMinor)
    return 1;  // cudaErrorInvalidValue
  *value = attribute == kMajor ? 9 : 0;
  return 0;
}

namespace phraseq::emulated_gpu {
namespace {

/// The arguments of both directions.
struct Arguments {
  at::Tensor q, k, v;  ///< [tokens, heads, head_dim], of the host after check()
  at::Tensor query_offsets, key_offsets;
  int64_t longest_queries = 0, longest_keys = 0;
  double scale = 1.0;
  bool causal = false;
};

void check_vectors(const at::Tensor& x, const at::Tensor& q) {
  TORCH_CHECK(x.is_cuda(), "Input tensor must be on CUDA");
  TORCH_CHECK(x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16,
              "FlashAttention only support fp16 and bf16 data type");
  TORCH_CHECK(x.scalar_type() == q.scalar_type(), "query and key must have the same dtype");
  TORCH_CHECK(x.dim() == 3 && x.size(1) == q.size(1) && x.size(2) == q.size(2), "wrong shape");
  TORCH_CHECK(x.stride(2) == 1, "Input tensor must have contiguous last dimension");
  TORCH_CHECK(x.size(2) % 8 == 0 && x.size(2) <= 256,
              "head_size must be a multiple of 8 and at most 256");
  TORCH_CHECK(x.stride(0) % 8 == 0 && x.stride(1) % 8 == 0 &&
                  reinterpret_cast<uintptr_t>(x.const_data_ptr()) % 16 == 0,
              "misaligned address");
}

/// Sentences must have at least `fewest` tokens.
void check_offsets(const at::Tensor& offsets,
                   const at::Tensor& rows,
                   int64_t longest,
                   int64_t fewest) {
  TORCH_CHECK(offsets.is_cuda() && offsets.scalar_type() == at::kInt && offsets.is_contiguous() &&
                  offsets.dim() == 1 && offsets.size(0) > 1,
              "cu_seqlens must have dtype int32 and be contiguous on CUDA");
  const at::Tensor on_host_side = on_host(offsets);
  const auto* const values = on_host_side.const_data_ptr<int32_t>();
  int64_t found = 0;
  for (int64_t i = 0; i + 1 < offsets.size(0); ++i) {
    TORCH_CHECK(values[i] + fewest <= values[i + 1], "offsets that do not grow");
    found = std::max<int64_t>(found, values[i + 1] - values[i]);
  }
  TORCH_CHECK(values[0] == 0 && values[offsets.size(0) - 1] == rows.size(0) && found == longest,
              "offsets or the maximum length are not those of the rows");
}

/// Checks the arguments and moves them to the host.
void check(Arguments& arguments, int64_t fewest_queries) {
  for (at::Tensor* const x : {&arguments.q, &arguments.k, &arguments.v})
    check_vectors(*x, arguments.q);
  TORCH_CHECK(arguments.k.size(0) == arguments.v.size(0), "wrong shape");
  TORCH_CHECK(arguments.query_offsets.sizes() == arguments.key_offsets.sizes(), "wrong shape");
  check_offsets(arguments.query_offsets, arguments.q, arguments.longest_queries, fewest_queries);
  check_offsets(arguments.key_offsets, arguments.k, arguments.longest_keys, 1);
  for (at::Tensor* const x :
       {&arguments.q, &arguments.k, &arguments.v, &arguments.query_offsets, &arguments.key_offsets})
    *x = on_host(*x);
}

/// One head of one sentence in fp32.
struct Head {
  at::Tensor q, k, v;  ///< [time, head_dim]
  at::Tensor scores;   ///< [tgt_time, src_time], -inf where a key is not seen
};

at::Tensor part(const at::Tensor& x, const at::Tensor& offsets, int64_t sentence, int64_t head) {
  const auto* const values = offsets.const_data_ptr<int32_t>();
  return x.select(1, head).narrow(0, values[sentence], values[sentence + 1] - values[sentence]);
}

/// With a causal mask, the last query sees all keys, as in FlashAttention since version 2.1.
Head head_of(const Arguments& by, int64_t sentence, int64_t head) {
  Head result{part(by.q, by.query_offsets, sentence, head).to(at::kFloat),
              part(by.k, by.key_offsets, sentence, head).to(at::kFloat),
              part(by.v, by.key_offsets, sentence, head).to(at::kFloat),
              {}};
  result.scores = at::mm(result.q, result.k.t()) * by.scale;
  if (by.causal) {
    const int64_t more_keys = result.k.size(0) - result.q.size(0);
    const at::Tensor future = at::ones(result.scores.sizes(), at::kBool).triu(1 + more_keys);
    result.scores.masked_fill_(future, -std::numeric_limits<float>::infinity());
  }
  return result;
}

template <class Work>
void for_each_head(const Arguments& by, const Work& work) {
  for (int64_t sentence = 0; sentence + 1 < by.query_offsets.size(0); ++sentence) {
    for (int64_t head = 0; head < by.q.size(1); ++head)
      work(sentence, head, head_of(by, sentence, head));
  }
}

at::Tensor rounded(const at::Tensor& x, at::ScalarType type) { return x.to(type).to(at::kFloat); }

at::Tensor on_gpu(at::IntArrayRef sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions(at::kCUDA).dtype(type));
}

/// Rejects dropout, weights, windows and the additional arguments of later versions of the
/// operator.
void check_unused(const std::vector<c10::IValue>& values, size_t first) {
  for (size_t i = first; i < values.size(); ++i)
    TORCH_CHECK(values[i].isNone(), "the emulated GPU has no such option of FlashAttention");
}

std::vector<c10::IValue> take(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const auto count = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  std::vector<c10::IValue> values(stack.end() - count, stack.end());
  stack.resize(stack.size() - values.size());
  return values;
}

void forward(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto values = take(op, *stack);
  TORCH_CHECK(values[7].toDouble() == 0.0 && !values[9].toBool(), "no dropout on the emulated GPU");
  check_unused(values, 11);
  Arguments by{values[0].toTensor(),
               values[1].toTensor(),
               values[2].toTensor(),
               values[3].toTensor(),
               values[4].toTensor(),
               values[5].toInt(),
               values[6].toInt(),
               values[10].toDouble(),
               values[8].toBool()};
  check(by, /*fewest_queries=*/0);
  const auto type = by.q.scalar_type();
  const at::Tensor out = on_gpu(by.q.sizes(), type);
  const at::Tensor log_sums = on_gpu({by.q.size(1), by.q.size(0)}, at::kFloat);
  const at::Tensor host_out = on_host(out), host_sums = on_host(log_sums);
  for_each_head(by, [&](int64_t sentence, int64_t head, const Head& x) {
    const at::Tensor top = x.scores.amax(1, true);                      // [tgt_time, 1]
    const at::Tensor powers = (x.scores - top).exp();                   // [tgt_time, src_time]
    const at::Tensor sum = powers.sum(1, true);                         // [tgt_time, 1]
    part(host_out, by.query_offsets, sentence, head)                    // [tgt_time, head_dim]
        .copy_(at::mm(rounded(powers, type), x.v) / sum);               // [tgt_time, head_dim]
    part(host_sums.t().unsqueeze(2), by.query_offsets, sentence, head)  // [tgt_time, 1]
        .copy_(top + sum.log());                                        // [tgt_time, 1]
  });
  stack->emplace_back(out);
  stack->emplace_back(log_sums);
  stack->emplace_back(on_gpu({2}, at::kUInt64));
  stack->emplace_back(on_gpu({}, at::kUInt64));
  stack->emplace_back(on_gpu({0}, type));
}

void backward(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto values = take(op, *stack);
  TORCH_CHECK(values[10].toDouble() == 0.0, "no dropout on the emulated GPU");
  TORCH_CHECK(values[12].toTensor().scalar_type() == at::kUInt64, "no state of random numbers");
  check_unused(values, 15);
  Arguments by{values[1].toTensor(),
               values[2].toTensor(),
               values[3].toTensor(),
               values[6].toTensor(),
               values[7].toTensor(),
               values[8].toInt(),
               values[9].toInt(),
               values[14].toDouble(),
               values[11].toBool()};
  for (const size_t i : {0, 4}) check_vectors(values[i].toTensor(), by.q);
  check(by, /*fewest_queries=*/1);
  const auto type = by.q.scalar_type();
  const at::Tensor d_out = on_host(values[0].toTensor()), out = on_host(values[4].toTensor());
  const at::Tensor log_sums = on_host(values[5].toTensor()).t().unsqueeze(2);  // [tokens, heads, 1]
  TORCH_CHECK(d_out.sizes() == by.q.sizes() && out.sizes() == by.q.sizes(), "wrong shape");
  const at::Tensor dq = on_gpu(by.q.sizes(), type), dk = on_gpu(by.k.sizes(), type),
                   dv = on_gpu(by.v.sizes(), type);
  for_each_head(by, [&](int64_t sentence, int64_t head, const Head& x) {
    const auto queries = [&](const at::Tensor& matrix) {
      return part(matrix, by.query_offsets, sentence, head).to(at::kFloat);  // [tgt_time, columns]
    };
    const at::Tensor up = queries(d_out);                             // [tgt_time, head_dim]
    const at::Tensor weights = (x.scores - queries(log_sums)).exp();  // [tgt_time, src_time]
    const at::Tensor mean = (up * queries(out)).sum(1, true);         // [tgt_time, 1]
    const at::Tensor d_scores =                                       // [tgt_time, src_time]
        rounded(weights * (at::mm(up, x.v.t()) - mean), type) * by.scale;
    part(on_host(dq), by.query_offsets, sentence, head).copy_(at::mm(d_scores, x.k));
    part(on_host(dk), by.key_offsets, sentence, head).copy_(at::mm(d_scores.t(), x.q));
    part(on_host(dv), by.key_offsets, sentence, head).copy_(at::mm(rounded(weights, type).t(), up));
  });
  for (const at::Tensor& gradient : {dq, dk, dv}) stack->emplace_back(gradient);
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("_flash_attention_forward", torch::CppFunction::makeFromBoxedFunction<&forward>());
  library.impl("_flash_attention_backward", torch::CppFunction::makeFromBoxedFunction<&backward>());
}

}  // namespace
}  // namespace phraseq::emulated_gpu
