#include "core/translate/parameters/stored_parameter.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/translate/parameters/tensor_bytes.h"

namespace phraseq {
namespace {

/// The scales of a quantized matrix's rows; null for any other tensor.
const TensorView* scales_of(const CheckpointFile& file, const TensorView& tensor) {
  if (tensor.dtype != DType::kI8 || tensor.shape.size() != 2)
    return nullptr;
  const TensorView* scales = file.find(std::string(kScalesPrefix) + tensor.name);
  const bool fits = scales != nullptr && scales->dtype == DType::kF32 &&
                    scales->shape == std::vector<int64_t>{tensor.shape[0]};
  return fits ? scales : nullptr;
}

}  // namespace

void copy_parameter(const CheckpointFile& file, const std::string& name, at::Tensor parameter) {
  const TensorView& stored = *file.find(name);
  copy_into(parameter, stored);
  const TensorView* scales = scales_of(file, stored);
  if (scales == nullptr)
    return;
  at::NoGradGuard no_grad;
  const at::Tensor factors = at::empty({stored.shape[0]}, parameter.options());  // [rows]
  copy_into(factors, *scales);
  parameter.mul_(factors.unsqueeze(1));  // [rows, columns] * [rows, 1]
}

void check_parameter(const CheckpointFile& file,
                     const std::string& name,
                     const at::Tensor& parameter,
                     std::vector<std::string>& problems) {
  const TensorView* stored = file.find(name);
  const bool is_quantized = stored != nullptr && stored->shape == parameter.sizes().vec() &&
                            scales_of(file, *stored) != nullptr;
  if (!is_quantized)
    check_fits(file, name, parameter, problems);
}

}  // namespace phraseq
