#include "core/nn/functional/embedding.h"

#include <optional>
#include <string>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/base/work_profile.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/embedding_kernel.h"
#include "core/nn/functional/device/gpu_kernels.h"
#include "core/nn/functional/reference/functional_reference.h"
#include "core/nn/optional_tensor.h"
#include "core/nn/parameters/parameter_gradient.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

using Setting = gpu::EmbeddingNumbers;

/// The work is divided among threads by columns, so that the order of each sum is fixed.
void run_embed_backward(const at::Tensor& dy,
                        const at::Tensor& ids,
                        const at::Tensor& d_table,
                        const Setting& setting) {
  const int64_t columns = dy.size(1), units = (columns + 15) / 16;
  cpu::for_type(dy.scalar_type(), [&]<typename T>(T*) {
    at::parallel_for(0,
                     units,
                     std::max<int64_t>(1, 1024 / std::max<int64_t>(dy.size(0), 1)),
                     [&](int64_t first, int64_t last) {
                       cpu::loops<T>().embed_backward(cpu::data<T>(dy),
                                                      cpu::data<int64_t>(ids),
                                                      cpu::mutable_data<kernels::Sum<T>>(d_table),
                                                      setting.scale,
                                                      setting.padding_id,
                                                      16 * first,
                                                      std::min(16 * last, columns),
                                                      {0, dy.size(0), columns},
                                                      cpu::make_dropout(setting.p, setting.key));
                     });
  });
}

/// Adds the rows' gradients dy [tokens, model] to the gradient of a table, [vocab, model].
at::Tensor scatter_rows(const at::Tensor& dy,
                        const at::Tensor& ids,
                        const at::Tensor& place,
                        at::IntArrayRef table_sizes,
                        const Setting& setting) {
  const ParameterGradient d_table(place, table_sizes, cpu::sum_options(dy));
  const auto add = dy.is_cpu() ? &run_embed_backward : &gpu::embed_backward;
  add(dy, ids, d_table.sum(), setting);
  return d_table.for_autograd();
}

/// [ids, columns]
at::Tensor run_embed(const at::Tensor& table,
                     const at::Tensor& position_table,
                     const at::Tensor& ids,
                     const at::Tensor& positions,
                     const Setting& setting) {
  if (!table.is_cpu())
    return gpu::embed(table, position_table, ids, positions, setting);
  const int64_t columns = table.size(1);
  const at::Tensor y = cpu::new_tensor({ids.size(0), columns}, setting.type);
  cpu::for_type(setting.type, [&]<typename T>(T*) {
    using S = kernels::Sum<T>;
    cpu::over_rows(y, [&](int64_t first, int64_t last) {
      cpu::loops<T>().embed(cpu::data<int64_t>(ids),
                            cpu::data<int64_t>(positions),
                            cpu::data<S>(table),
                            cpu::data<S>(position_table),
                            cpu::mutable_data<T>(y),
                            setting.scale,
                            {first, last, columns},
                            cpu::make_dropout(setting.p, setting.key));
    });
  });
  return y;
}

/// Variables: table, position table (or none).
class Embed : public torch::autograd::Function<Embed> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& table,
                            const std::optional<at::Tensor>& position_table,
                            const at::Tensor& ids,
                            const at::Tensor& positions,
                            const Setting* setting,
                            const Context* context) {
    const at::Tensor place_table = from_optional(position_table);
    const at::Tensor y = run_embed(table, place_table, ids, positions, *setting);
    ctx->save_for_backward({ids, positions});
    auto& data = ctx->saved_data;
    data["scale"] = setting->scale;
    data["p"] = setting->p;
    data["key"] = static_cast<int64_t>(setting->key);
    data["padding"] = setting->padding_id;
    data["table sizes"] = table.sizes().vec();
    data["table gradient"] = context->gradient(table);
    if (place_table.defined()) {
      data["position sizes"] = place_table.sizes().vec();
      data["position gradient"] = context->gradient(place_table);
    }
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto saved = ctx->get_saved_variables();
    const at::Tensor dy = outputs[0].contiguous();
    auto& data = ctx->saved_data;
    Setting setting{data["scale"].toDouble(),
                    data["p"].toDouble(),
                    static_cast<uint64_t>(data["key"].toInt()),
                    data["padding"].toInt(),
                    dy.scalar_type()};
    const auto gradient_of = [&](const at::Tensor& ids, const std::string& table) {
      return scatter_rows(dy,
                          ids,
                          data[table + " gradient"].toTensor(),
                          data[table + " sizes"].toIntVector(),
                          setting);
    };
    tensor_list gradients(6);
    if (ctx->needs_input_grad(0))
      gradients[0] = gradient_of(saved[0], "table");
    setting.scale = 1.0;
    setting.padding_id = -1;
    if (data.count("position sizes") > 0 && ctx->needs_input_grad(1))
      gradients[1] = gradient_of(saved[1], "position");
    return gradients;
  }
};

void check_ids(const at::Tensor& ids, int64_t rows, const char* what) {
  const auto* values = ids.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < ids.numel(); ++i) {
    if (values[i] < 0 || values[i] >= rows) {
      throw UsageError(fmt::format("{} {} is outside the table of {} rows", what, values[i], rows));
    }
  }
}

void check_all_ids(const at::Tensor& ids,
                   const at::Tensor& positions,
                   const at::Tensor& table,
                   const at::Tensor& position_table) {
  check_ids(ids, table.size(0), "token id");
  if (position_table.defined())
    check_ids(positions, position_table.size(0), "position");
}

}  // namespace

at::Tensor embed(const at::Tensor& ids,
                 const at::Tensor& positions,
                 const at::Tensor& table,
                 const at::Tensor& position_table,
                 const EmbeddingOptions& options,
                 Context& context) {
  const Setting setting{options.scale,
                        options.dropout,
                        cpu::dropout_key(options.dropout, context),
                        options.padding_id,
                        context.activation_type()};
  if (table.is_cpu())
    check_all_ids(ids, positions, table, position_table);
  const bool is_on_gpu = gpu::has_kernels(table, setting.type) && table.scalar_type() == at::kFloat;
  if (!is_on_gpu && !cpu::has_kernels(table, setting.type)) {
    return reference::embed(
        ids, positions, table, position_table, options, setting.key, setting.type);
  }
  const WorkSpan span(Work::kEmbedding);
  if (!at::GradMode::is_enabled())
    return run_embed(table, position_table, ids.contiguous(), positions.contiguous(), setting);
  return Embed::apply(table,
                      to_optional(position_table),
                      ids.contiguous(),
                      positions.contiguous(),
                      &setting,
                      &context);
}

}  // namespace phraseq::nn
