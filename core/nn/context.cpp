#include "core/nn/context.h"

#include <ATen/ops/_to_copy.h>

#include "core/base/random.h"
#include "core/nn/flat_parameters.h"

namespace phraseq::nn {

at::ScalarType Context::activation_type() const {
  switch (precision_) {
    case Precision::kBf16:
      return at::kBFloat16;
    case Precision::kFp16:
      return at::kHalf;
    case Precision::kFp64:
      return at::kDouble;
    case Precision::kFp32:
      break;
  }
  return at::kFloat;
}

at::Tensor Context::compute(const at::Tensor& parameter) const {
  if (precision_ != Precision::kBf16 && precision_ != Precision::kFp16)
    return parameter;
  at::Tensor copy = parameter;
  if (flat_)
    copy =
        precision_ == Precision::kBf16 ? flat_->bf16_view(parameter) : flat_->fp16_view(parameter);
  const bool is_plain = copy.scalar_type() == activation_type() && !copy.requires_grad();
  return is_plain ? copy : copy.detach().to(activation_type());
}

at::Tensor Context::gradient(const at::Tensor& parameter) const {
  return flat_ && parameter.requires_grad() ? flat_->gradient_view(parameter) : at::Tensor();
}

uint64_t Context::next_dropout_key() {
  if (!training_)
    return 0;
  return mix_seeds(seed_, ++draws_) | 1;  // 0 means: no dropout
}

}  // namespace phraseq::nn
