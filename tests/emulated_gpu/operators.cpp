// Operators of the emulated GPU. All of them call those of the CPU on the same memory after a check
// that a GPU also makes: tensors of different devices must not be mixed. Operators that make the
// host wait for a GPU are recorded.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include "tests/emulated_gpu/device_memory.h"
#include "tests/emulated_gpu/pinned_memory.h"
#include "tests/emulated_gpu/transfers.h"

namespace phraseq::emulated_gpu {
namespace {

/// Whether the host reads the results of an operator or their sizes.
bool makes_the_host_wait(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {"aten::_local_scalar_dense",
                                                      "aten::nonzero",
                                                      "aten::masked_select",
                                                      "aten::equal",
                                                      "aten::_unique2",
                                                      "aten::unique_consecutive",
                                                      "aten::unique_dim",
                                                      "aten::repeat_interleave",
                                                      "aten::bincount"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Operators that accept indices on either side.
bool takes_indices_of_the_host(std::string_view name) {
  return name == "aten::index" || name == "aten::index_put_" || name == "aten::_index_put_impl_";
}

/// The arguments of one call, in which all tensors of the device become tensors of the host.
class HostCall {
 public:
  explicit HostCall(const c10::OperatorHandle& op) : op_(op), name_(op.operator_name().name) {}

  void run(torch::jit::Stack& stack) {
    const size_t inputs = op_.schema().arguments().size();
    const size_t first = stack.size() - inputs;
    for (size_t i = first; i < stack.size(); ++i) note_devices(stack[i]);
    check_devices();
    for (size_t i = first; i < stack.size(); ++i) to_host(stack[i]);
    if (makes_the_host_wait(name_)) {
      note_wait(name_);
      finish_copies();
    }
    const at::DisableRecordFunctionGuard counted_once;  // observers have already seen the call
    op_.callBoxed(&stack);
    for (const auto& [host, device] : pairs_) take_shape(device, host);
    for (size_t i = first; i < stack.size(); ++i) to_device(stack[i]);
  }

 private:
  template <typename Each>
  static void for_each_tensor(const c10::IValue& value, const Each& each) {
    if (value.isTensor()) {
      if (value.toTensor().defined())
        each(value.toTensor());
    } else if (value.isList()) {
      for (const c10::IValue& part : value.toListRef()) for_each_tensor(part, each);
    }
  }

  void note_devices(const c10::IValue& value) {
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      const bool is_number = tensor.device().is_cpu() && tensor.dim() == 0;
      has_device_ = has_device_ || tensor.is_cuda();
      has_host_ = has_host_ || (tensor.device().is_cpu() && !is_number);
    });
  }

  void check_devices() const {
    if (!has_device_ || !has_host_)
      return;
    TORCH_CHECK(takes_indices_of_the_host(name_),
                "Expected all tensors to be on the same device, but found at least two devices, "
                "cuda:0 and cpu! (when calling ",
                name_,
                ")");
    note_wait(name_ + ", indices of the host");
  }

  at::Tensor host_of(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cuda())
      return tensor;
    for (const auto& [host, device] : pairs_) {
      if (device.is_same(tensor))
        return host;
    }
    if (name_.starts_with("aten::index") && tensor.scalar_type() == at::kBool && !pairs_.empty())
      note_wait(name_ + ", mask");
    pairs_.emplace_back(on_host(tensor), tensor);
    return pairs_.back().first;
  }

  void to_host(c10::IValue& value) {
    if (value.isTensor()) {
      value = host_of(value.toTensor());
    } else if (value.isDevice()) {
      if (value.toDevice().is_cuda())
        value = c10::Device(c10::kCPU);
      has_device_ = true;
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> hosts;
      for (const at::Tensor& tensor : value.toTensorVector()) hosts.push_back(host_of(tensor));
      value = hosts;
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> hosts;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorList())
        hosts.push_back(tensor ? std::optional<at::Tensor>(host_of(*tensor)) : std::nullopt);
      value = hosts;
    }
  }

  at::Tensor device_of(const at::Tensor& tensor) const {
    if (!tensor.defined() || tensor.is_cuda())
      return tensor;
    for (const auto& [host, device] : pairs_) {
      if (host.is_same(tensor))
        return device;
    }
    return on_device(tensor);
  }

  void to_device(c10::IValue& value) const {
    if (value.isTensor()) {
      value = device_of(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> devices;
      for (const at::Tensor& tensor : value.toTensorVector()) devices.push_back(device_of(tensor));
      value = devices;
    }
  }

  const c10::OperatorHandle& op_;
  std::string name_;
  bool has_device_ = false, has_host_ = false;
  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;  ///< host, device
};

void compute_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  HostCall(op).run(*stack);
}

constexpr c10::DispatchKeySet kBackend(c10::DispatchKey::CUDA);

at::Tensor empty(at::IntArrayRef sizes,
                 std::optional<at::ScalarType> type,
                 std::optional<at::Layout> /*layout*/,
                 std::optional<at::Device> /*device*/,
                 std::optional<bool> pinned,
                 std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!pinned.value_or(false), "Only dense CPU tensors can be pinned");
  return at::Tensor(at::detail::empty_generic(
      sizes, &device_allocator(), kBackend, c10::dtype_or_default(type), format));
}

at::Tensor empty_strided(at::IntArrayRef sizes,
                         at::IntArrayRef strides,
                         std::optional<at::ScalarType> type,
                         std::optional<at::Layout> /*layout*/,
                         std::optional<at::Device> /*device*/,
                         std::optional<bool> /*pinned*/) {
  return at::Tensor(at::detail::empty_strided_generic(
      sizes, strides, &device_allocator(), kBackend, c10::dtype_or_default(type)));
}

/// Whether the host continues while its memory `host` is copied from or to `device`. Otherwise, if
/// types differ or the memory is not contiguous or not pinned, the copy goes through memory that is
/// not pinned.
bool is_copied_later(const at::Tensor& host, const at::Tensor& device, bool non_blocking) {
  return non_blocking && host.is_contiguous() && host.scalar_type() == device.scalar_type() &&
         is_pinned(host.storage().data());
}

/// Copies between the sides or within the device.
at::Tensor& copy(at::Tensor& to, const at::Tensor& from, bool non_blocking) {
  const at::Tensor source = from.is_cuda() ? on_host(from) : from;
  if (to.is_cuda()) {
    if (!from.is_cuda() && from.numel() > 0 && !is_copied_later(from, to, non_blocking))
      note_wait("copy from the host");
    on_host(to).copy_(source);
  } else if (is_copied_later(to, from, non_blocking)) {
    copy_later(to, source);
  } else {
    note_wait("copy to the host");
    finish_copies();
    to.copy_(source);
  }
  return to;
}

/// sum · beta + a b · alpha in fp32, for 16-bit factors, for which the CPU has no operator.
at::Tensor& addmm_of_sixteen_bits(const at::Tensor& sum,
                                  const at::Tensor& a,
                                  const at::Tensor& b,
                                  at::ScalarType type,
                                  const at::Scalar& beta,
                                  const at::Scalar& alpha,
                                  at::Tensor& out) {
  TORCH_CHECK(type == at::kFloat && out.scalar_type() == type && sum.scalar_type() == type &&
                  a.scalar_type() == b.scalar_type() &&
                  (a.scalar_type() == at::kBFloat16 || a.scalar_type() == at::kHalf),
              "addmm: out_dtype is fp32, for factors of 16 bits");
  at::Tensor host_out = on_host(out);
  host_out.copy_(
      at::addmm(on_host(sum), on_host(a).to(at::kFloat), on_host(b).to(at::kFloat), beta, alpha));
  return out;
}

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("copy_", TORCH_FN(copy));
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("unfold", TORCH_FN(at::native::unfold));
  // LibTorch's CUDA implements these directly. Without them, it would call the variants with
  // `out`, and observers would see two products.
  for (const char* const product : {"mm", "addmm", "bmm", "baddbmm"})
    library.impl(product, torch::CppFunction::makeFromBoxedFunction<&compute_on_host>());
  library.impl("addmm.dtype_out", TORCH_FN(addmm_of_sixteen_bits));
  library.impl("set_.source_Storage_storage_offset", TORCH_FN(at::native::set_storage_cpu_));
}

}  // namespace
}  // namespace phraseq::emulated_gpu
