#include "core/translate/parameters/tensor_bytes.h"

#include <array>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

constexpr std::array<std::pair<DType, at::ScalarType>, 10> kTypes = {{
    {DType::kF64, at::kDouble},
    {DType::kF32, at::kFloat},
    {DType::kF16, at::kHalf},
    {DType::kBF16, at::kBFloat16},
    {DType::kI64, at::kLong},
    {DType::kI32, at::kInt},
    {DType::kI16, at::kShort},
    {DType::kI8, at::kChar},
    {DType::kU8, at::kByte},
    {DType::kBool, at::kBool},
}};

DType dtype_of(at::ScalarType type) {
  for (const auto& [dtype, scalar_type] : kTypes) {
    if (scalar_type == type)
      return dtype;
  }
  throw FormatError(
      fmt::format("checkpoints do not support the element type {}", c10::toString(type)));
}

at::ScalarType scalar_type_of(DType dtype) {
  for (const auto& [name, scalar_type] : kTypes) {
    if (name == dtype)
      return scalar_type;
  }
  throw FormatError("unknown element type in a checkpoint");
}

}  // namespace

void HostTensors::add(const std::string& name, const at::Tensor& tensor) {
  kept_.push_back(tensor.detach().to(at::kCPU).contiguous());
  const at::Tensor& host = kept_.back();
  const auto* data = static_cast<const std::byte*>(host.const_data_ptr());
  views_.push_back({name, dtype_of(host.scalar_type()), host.sizes().vec(), {data, host.nbytes()}});
}

void copy_into(at::Tensor tensor, const TensorView& view) {
  at::NoGradGuard no_grad;
  // from_blob takes a mutable pointer; nothing is written through it.
  auto* data = const_cast<std::byte*>(view.bytes.data());
  tensor.copy_(at::from_blob(data, view.shape, at::TensorOptions(scalar_type_of(view.dtype))));
}

void check_fits(const CheckpointFile& file,
                const std::string& name,
                const at::Tensor& tensor,
                std::vector<std::string>& problems) {
  const TensorView* found = file.find(name);
  if (found == nullptr) {
    problems.push_back(fmt::format("{} is missing", name));
  } else if (found->shape != tensor.sizes().vec()) {
    problems.push_back(fmt::format("{} has shape [{}], the model needs [{}]",
                                   name,
                                   fmt::join(found->shape, ", "),
                                   fmt::join(tensor.sizes().vec(), ", ")));
  } else if (at::isFloatingType(scalar_type_of(found->dtype)) != tensor.is_floating_point()) {
    problems.push_back(fmt::format("{} has the type {}, the model needs {}",
                                   name,
                                   to_string(found->dtype),
                                   c10::toString(tensor.scalar_type())));
  }
}

}  // namespace phraseq
