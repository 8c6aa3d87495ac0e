#include "core/nn/memory/recompute.h"

#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The state that the backward pass needs besides the inputs: the context as it was before the
/// part, so that the same dropout keys are drawn.
struct Part final : torch::CustomClassHolder {
  Part(RecomputedPart work, const Context& before) : run(std::move(work)), context(before) {
    context.recompute_layers(false);
    context.record_into(nullptr);
  }
  RecomputedPart run;
  Context context;
};

/// Variables: the inputs, and an anchor that needs a gradient, because the parameters inside may
/// need a gradient even if no input does.
class Recompute : public torch::autograd::Function<Recompute> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            at::TensorList inputs,
                            const at::Tensor& /*anchor*/,
                            const c10::intrusive_ptr<Part>* part,
                            Context* context) {
    const std::vector<at::Tensor> all = inputs.vec();
    ctx->save_for_backward(all);
    ctx->saved_data["part"] = c10::IValue::make_capsule(*part);
    return (*part)->run(all, *context);
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto capsule = ctx->saved_data["part"].toCapsule();
    const Part& part = static_cast<const Part&>(*capsule);
    std::vector<at::Tensor> inputs;
    for (const at::Tensor& saved : ctx->get_saved_variables())
      inputs.push_back(saved.detach().requires_grad_(ctx->needs_input_grad(inputs.size())));
    Context context = part.context;
    {
      const at::AutoGradMode gradients(true);
      const at::Tensor again = part.run(inputs, context);
      torch::autograd::backward({again}, {outputs[0]});
    }
    tensor_list gradients;
    for (const at::Tensor& input : inputs) gradients.push_back(input.grad());
    gradients.resize(inputs.size() + 3);  // none for the anchor, the part and the context
    return gradients;
  }
};

}  // namespace

at::Tensor recomputed(const std::vector<at::Tensor>& inputs,
                      Context& context,
                      RecomputedPart part) {
  if (!at::GradMode::is_enabled())
    return part(inputs, context);
  if (context.recomputes()) {
    const auto kept = c10::make_intrusive<Part>(std::move(part), context);
    const at::Tensor anchor = at::zeros({}, inputs.front().options().dtype(at::kFloat));
    return Recompute::apply(at::TensorList(inputs), anchor.requires_grad_(), &kept, &context);
  }
  // The gradients from inside the part are summed before those of other users of the input, as in
  // an ordinary pass, so that the sums have the same bits.
  std::vector<at::Tensor> entered;
  for (const at::Tensor& input : inputs) entered.push_back(input.view_as(input));
  return part(entered, context);
}

}  // namespace phraseq::nn
