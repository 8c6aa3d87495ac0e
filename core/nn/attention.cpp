#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/nn/cpu_kernels.h"
#include "core/nn/functional.h"
#include "core/nn/functional_composite.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Where queries, keys and values are: columns of one matrix (K, V, Q) or of two (Q; K, V).
struct Columns {
  at::Tensor q_matrix, kv_matrix;
  int64_t model, q_first;

  explicit Columns(at::TensorList matrices)
      : q_matrix(matrices[0]),
        kv_matrix(matrices.back()),
        model(matrices.size() == 1 ? matrices[0].size(1) / 3 : matrices[0].size(1)),
        q_first(matrices.size() == 1 ? 2 * model : 0) {}
};

struct Sentences {
  std::vector<int64_t> queries, keys;  ///< offsets

  int64_t count() const { return static_cast<int64_t>(queries.size()) - 1; }
  int64_t longest(const std::vector<int64_t>& offsets) const {
    int64_t length = 0;
    for (size_t i = 1; i < offsets.size(); ++i)
      length = std::max(length, offsets[i] - offsets[i - 1]);
    return length;
  }
};

struct Setting {
  AttentionOptions options;
  uint64_t key = 0;
};

template <typename T>
kernels::AttentionTask<T> make_task(const Columns& columns,
                                    const Sentences& sentences,
                                    const Setting& setting,
                                    const at::Tensor& log_sums,
                                    int64_t sentence,
                                    int64_t head) {
  const int64_t head_dim = columns.model / setting.options.heads;
  const int64_t first_query = sentences.queries[sentence], first_key = sentences.keys[sentence];
  const int64_t q_stride = columns.q_matrix.size(1), kv_stride = columns.kv_matrix.size(1);
  const T* k = cpu::data<T>(columns.kv_matrix) + first_key * kv_stride + head * head_dim;
  return {.q = cpu::data<T>(columns.q_matrix) + first_query * q_stride + columns.q_first +
               head * head_dim,
          .k = k,
          .v = k + columns.model,
          .q_stride = q_stride,
          .kv_stride = kv_stride,
          .queries = sentences.queries[sentence + 1] - first_query,
          .keys = sentences.keys[sentence + 1] - first_key,
          .head_dim = head_dim,
          .scale = setting.options.scale,
          .causal = setting.options.causal,
          .dropout = cpu::make_dropout(setting.options.dropout, setting.key),
          .first_query_row = first_query,
          .heads = setting.options.heads,
          .head = head,
          .log_sums = cpu::mutable_data<kernels::Sum<T>>(log_sums) +
                      first_query * setting.options.heads + head};
}

/// Calls work(sentence, head, scratch) for all, sentences spread over the threads.
template <typename T, typename Work>
void for_each_head(const Sentences& sentences,
                   const Columns& columns,
                   const Setting& setting,
                   const Work& work) {
  using S = kernels::Sum<T>;
  const int64_t heads = setting.options.heads;
  const int64_t scratch_size =
      cpu::loops<T>().attention_scratch(sentences.longest(sentences.queries),
                                        sentences.longest(sentences.keys),
                                        columns.model / heads);
  at::parallel_for(0, sentences.count(), 1, [&](int64_t first, int64_t last) {
    const cpu::ThreadScratch<S> scratch(scratch_size);
    for (int64_t sentence = first; sentence < last; ++sentence) {
      for (int64_t head = 0; head < heads; ++head) work(sentence, head, scratch.get());
    }
  });
}

/// Variables: one matrix (K, V, Q) or two (Q; K, V). Saves them and one number a row and head.
class PackedAttention : public torch::autograd::Function<PackedAttention> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList matrices,
                            const Sentences* sentences,
                            const Setting* setting,
                            at::Tensor* weights) {
    const Columns columns(matrices);
    const int64_t rows = columns.q_matrix.size(0), heads = setting->options.heads;
    const auto sum_options =
        columns.q_matrix.options().dtype(cpu::sum_type(columns.q_matrix.scalar_type()));
    const at::Tensor out = at::empty({rows, columns.model}, columns.q_matrix.options());
    const at::Tensor log_sums = at::zeros({rows, heads}, sum_options);
    const int64_t longest = sentences->longest(sentences->keys);
    if (weights)
      *weights = at::zeros({rows, longest}, columns.q_matrix.options().dtype(at::kFloat));
    cpu::for_type(out.scalar_type(), [&]<typename T>(T*) {
      for_each_head<T>(
          *sentences, columns, *setting, [&](int64_t sentence, int64_t head, auto* scratch) {
            const auto task = make_task<T>(columns, *sentences, *setting, log_sums, sentence, head);
            float* shares =
                weights ? cpu::mutable_data<float>(*weights) + task.first_query_row * longest
                        : nullptr;
            cpu::loops<T>().attention(
                task,
                {cpu::mutable_data<T>(out) + task.first_query_row * columns.model +
                     head * task.head_dim,
                 columns.model,
                 shares,
                 longest,
                 1.0F / static_cast<float>(heads)},
                scratch);
          });
    });
    ctx->save_for_backward({matrices.front(), matrices.back(), log_sums});
    ctx->saved_data["matrices"] = static_cast<int64_t>(matrices.size());
    ctx->saved_data["queries"] = sentences->queries;
    ctx->saved_data["keys"] = sentences->keys;
    ctx->saved_data["heads"] = heads;
    ctx->saved_data["scale"] = setting->options.scale;
    ctx->saved_data["dropout"] = setting->options.dropout;
    ctx->saved_data["causal"] = setting->options.causal;
    ctx->saved_data["key"] = static_cast<int64_t>(setting->key);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    auto& data = ctx->saved_data;
    const bool one = data["matrices"].toInt() == 1;
    const Sentences sentences{data["queries"].toIntVector(), data["keys"].toIntVector()};
    const Setting setting{{data["heads"].toInt(),
                           data["scale"].toDouble(),
                           data["dropout"].toDouble(),
                           data["causal"].toBool()},
                          static_cast<uint64_t>(data["key"].toInt())};
    const tensor_list matrices = one ? tensor_list{saved[0]} : tensor_list{saved[0], saved[1]};
    tensor_list gradients;
    for (const at::Tensor& matrix : matrices) {
      gradients.push_back(at::empty(matrix.sizes(), matrix.options()));
    }
    run_backward(Columns(matrices),
                 Columns(gradients),
                 sentences,
                 setting,
                 saved[2],
                 outputs[0].contiguous());
    gradients.resize(gradients.size() + 3);  // sentences, setting, weights
    return gradients;
  }

 private:
  static void run_backward(const Columns& columns,
                           const Columns& gradients,
                           const Sentences& sentences,
                           const Setting& setting,
                           const at::Tensor& log_sums,
                           const at::Tensor& d_out) {
    cpu::for_type(d_out.scalar_type(), [&]<typename T>(T*) {
      for_each_head<T>(
          sentences, columns, setting, [&](int64_t sentence, int64_t head, auto* scratch) {
            const auto task = make_task<T>(columns, sentences, setting, log_sums, sentence, head);
            // The gradients lie as the matrices do.
            T* dk = cpu::mutable_data<T>(gradients.kv_matrix) +
                    (task.k - cpu::data<T>(columns.kv_matrix));
            T* dq = cpu::mutable_data<T>(gradients.q_matrix) +
                    (task.q - cpu::data<T>(columns.q_matrix));
            cpu::loops<T>().attention_backward(
                task,
                {.d_out = cpu::data<T>(d_out) + task.first_query_row * columns.model +
                          head * task.head_dim,
                 .d_out_stride = columns.model,
                 .dq = dq,
                 .dk = dk,
                 .dv = dk + columns.model,
                 .dq_stride = task.q_stride,
                 .dkv_stride = task.kv_stride},
                scratch);
          });
    });
  }
};

void check_shapes(const at::Tensor& q,
                  const at::Tensor& kv,
                  int64_t parts,
                  const PackedTokens& queries,
                  const PackedTokens& keys,
                  const AttentionOptions& options) {
  const bool fits = q.dim() == 2 && kv.dim() == 2 && q.size(0) == queries.tokens() &&
                    kv.size(0) == keys.tokens() && queries.sentences() == keys.sentences() &&
                    kv.size(1) == parts * (parts == 3 ? q.size(1) / 3 : q.size(1)) &&
                    options.heads > 0 && q.size(1) % (options.heads * (parts == 3 ? 3 : 1)) == 0;
  if (fits)
    return;
  throw UsageError(
      fmt::format("attention: queries {} and keys {} do not fit {} heads over {} and {} tokens",
                  q.sizes(),
                  kv.sizes(),
                  options.heads,
                  queries.tokens(),
                  keys.tokens()),
      "rows as many as tokens, as many sentences on both sides, a width that the heads divide");
}

}  // namespace

at::Tensor self_attention(const at::Tensor& kvq,
                          const PackedTokens& tokens,
                          const AttentionOptions& options,
                          Context& context) {
  check_shapes(kvq, kvq, 3, tokens, tokens, options);
  const Setting setting{options, cpu::dropout_key(options.dropout, context)};
  if (kvq.is_cpu()) {
    const Sentences sentences{tokens.offsets, tokens.offsets};
    return PackedAttention::apply(at::TensorList(kvq.contiguous()), &sentences, &setting, nullptr);
  }
  const auto parts = kvq.chunk(3, 1);
  return composite::attention({parts[2], parts[0], parts[1], &tokens.offsets, &tokens.offsets},
                              options,
                              setting.key,
                              nullptr);
}

at::Tensor cross_attention(const at::Tensor& q,
                           const at::Tensor& kv,
                           const PackedTokens& queries,
                           const PackedTokens& keys,
                           const AttentionOptions& options,
                           Context& context,
                           at::Tensor* weights) {
  check_shapes(q, kv, 2, queries, keys, options);
  const Setting setting{options, cpu::dropout_key(options.dropout, context)};
  if (q.is_cpu()) {
    const Sentences sentences{queries.offsets, keys.offsets};
    const tensor_list matrices = {q.contiguous(), kv.contiguous()};
    return PackedAttention::apply(at::TensorList(matrices), &sentences, &setting, weights);
  }
  const auto parts = kv.chunk(2, 1);
  return composite::attention(
      {q, parts[0], parts[1], &queries.offsets, &keys.offsets}, options, setting.key, weights);
}

}  // namespace phraseq::nn
