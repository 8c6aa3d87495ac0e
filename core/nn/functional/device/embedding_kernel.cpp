#include "core/nn/functional/device/embedding_kernel.h"

#include <optional>

#include <ATen/ops/empty.h>
#include <ATen/ops/sort.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn::gpu {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// EmbeddingShape of embedding.cu.
struct EmbeddingShape {
  long long rows;
  int columns;
  float scale;
  unsigned long long key;
  uint32_t threshold;
  float kept;

  EmbeddingShape(int64_t tokens, int64_t model, double factor, const Mask& mask)
      : rows(tokens),
        columns(static_cast<int>(model)),
        scale(static_cast<float>(factor)),
        key(mask.key),
        threshold(mask.threshold),
        kept(mask.kept) {}
};

/// [tokens, model]
at::Tensor run_embed(const at::Tensor& table,
                     const at::Tensor& position_table,
                     const at::Tensor& ids,
                     const at::Tensor& positions,
                     const EmbeddingNumbers& numbers) {
  constexpr int64_t kThreads = 256;
  const at::Tensor y = at::empty({ids.size(0), table.size(1)}, table.options().dtype(numbers.type));
  EmbeddingShape shape(ids.size(0), table.size(1), numbers.scale, mask_of(numbers.p, numbers.key));
  Arguments arguments;
  arguments.add(ids).add(positions).add(table).add(position_table).add(y).add_value(shape);
  if (y.numel() > 0) {
    launch(y,
           cuda::embedding_kernel(element_of(numbers.type)),
           "embed",
           {.blocks = blocks_for(y.numel(), kThreads), .threads = kThreads},
           arguments);
  }
  return y;
}

/// The rows' gradients dy [tokens, model] added to a table's, [vocab, model].
at::Tensor scatter_rows(const at::Tensor& dy,
                        const at::Tensor& ids,
                        const at::Tensor& place,
                        at::IntArrayRef table_sizes,
                        int64_t skip_id,
                        EmbeddingShape shape) {
  constexpr int64_t kThreads = 128;
  const ParameterGradient d_table(place, table_sizes, dy.options().dtype(at::kFloat));
  const auto [sorted, order] = at::sort(ids, std::optional<bool>(true), 0, false);  // [tokens]
  long long skip = skip_id;
  Arguments arguments;
  arguments.add(dy).add(sorted).add(order).add(d_table.sum()).add_value(skip).add_value(shape);
  if (dy.numel() > 0) {
    launch(dy,
           cuda::embedding_kernel(element_of(dy.scalar_type())),
           "embed_backward",
           {.blocks = static_cast<uint32_t>(shape.rows),
            .blocks_y = blocks_for(shape.columns, kThreads),
            .threads = kThreads},
           arguments);
  }
  return d_table.for_autograd();
}

/// Variables: table, position table (or none).
class Embed : public torch::autograd::Function<Embed> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& table,
                            const std::optional<at::Tensor>& position_table,
                            const at::Tensor& ids,
                            const at::Tensor& positions,
                            const EmbeddingNumbers* numbers,
                            const Context* context) {
    const at::Tensor places = from_optional(position_table);
    ctx->save_for_backward({ids, positions});
    auto& data = ctx->saved_data;
    data["scale"] = numbers->scale;
    data["p"] = numbers->p;
    data["key"] = static_cast<int64_t>(numbers->key);
    data["padding"] = numbers->padding_id;
    data["table sizes"] = table.sizes().vec();
    data["table gradient"] = context->gradient(table);
    if (places.defined()) {
      data["position sizes"] = places.sizes().vec();
      data["position gradient"] = context->gradient(places);
    }
    return run_embed(table, places, ids, positions, *numbers);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor dy = outputs[0].contiguous();
    auto& data = ctx->saved_data;
    const Mask mask = mask_of(data["p"].toDouble(), static_cast<uint64_t>(data["key"].toInt()));
    const auto gradient_of =
        [&](const at::Tensor& ids, const std::string& table, double scale, int64_t skip_id) {
          return scatter_rows(dy,
                              ids,
                              data[table + " gradient"].toTensor(),
                              data[table + " sizes"].toIntVector(),
                              skip_id,
                              EmbeddingShape(dy.size(0), dy.size(1), scale, mask));
        };
    tensor_list gradients(6);
    if (ctx->needs_input_grad(0))
      gradients[0] =
          gradient_of(saved[0], "table", data["scale"].toDouble(), data["padding"].toInt());
    if (data.count("position sizes") > 0 && ctx->needs_input_grad(1))
      gradients[1] = gradient_of(saved[1], "position", 1.0, -1);
    return gradients;
  }
};

}  // namespace

at::Tensor embed(const at::Tensor& ids,
                 const at::Tensor& positions,
                 const at::Tensor& table,
                 const at::Tensor& position_table,
                 const EmbeddingNumbers& numbers,
                 const Context& context) {
  const at::Tensor places = position_table.defined() ? position_table.contiguous() : position_table;
  return Embed::apply(table.contiguous(),
                      to_optional(places),
                      ids.contiguous(),
                      positions.contiguous(),
                      &numbers,
                      &context);
}

}  // namespace phraseq::nn::gpu
