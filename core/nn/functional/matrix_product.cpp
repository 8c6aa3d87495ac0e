#include "core/nn/functional/matrix_product.h"

#include <optional>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/linear/tile_product.h"

namespace phraseq::nn {
namespace {

/// The only operator of LibTorch that calls oneDNN's fp32 product of plain matrices: x [m, k],
/// weight [n, k] → x weightᵀ.
using LinearPointwise = at::Tensor(const at::Tensor& x,
                                   const at::Tensor& weight,
                                   const std::optional<at::Tensor>& bias,
                                   std::string_view attribute,
                                   c10::List<std::optional<at::Scalar>> scalars,
                                   std::optional<std::string_view> algorithm);

bool mkl_leaves_avx512_unused() {
#if defined(__x86_64__) && defined(__GNUC__)
  return !__builtin_cpu_is("intel") && __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

/// Finds this operator; nothing if MKL is as fast or if LibTorch was built without oneDNN.
std::optional<c10::TypedOperatorHandle<LinearPointwise>> find_onednn() {
  if (!mkl_leaves_avx512_unused())
    return std::nullopt;
  const auto found = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
  if (!found || !found->hasKernelForDispatchKey(c10::DispatchKey::CPU))
    return std::nullopt;
  return found->typed<LinearPointwise>();
}

/// Whether each dimension is so large that the product takes longer than the library's
/// preparations.
bool is_large(const at::Tensor& a, const at::Tensor& b) {
  constexpr int64_t kRows = 64, kColumns = 32;
  return a.size(0) >= kRows && a.size(1) >= kColumns && b.size(1) >= kColumns;
}

/// Whether the matrix is stored by rows or by columns without gaps. For a range of columns of a
/// wider matrix, oneDNN uses its reference code, which is 50 times slower.
bool is_dense(const at::Tensor& x) { return x.is_contiguous() || x.t().is_contiguous(); }

/// The product [m, n] of a [m, k] and b [k, n] by oneDNN if that is faster, otherwise undefined.
at::Tensor onednn_product(const at::Tensor& a, const at::Tensor& b) {
  static const auto onednn = find_onednn();
  if (!onednn || !a.is_cpu() || a.scalar_type() != at::kFloat || !is_large(a, b) || !is_dense(a) ||
      !is_dense(b))
    return {};
  return onednn->call(a,
                      b.t(),  // [n, k]
                      std::nullopt,
                      "none",
                      c10::List<std::optional<at::Scalar>>(),
                      "");
}

/// Whether LibTorch adds a product of 16-bit factors to fp32 sums without rounding the product.
bool adds_products_of_sixteen_bits(const at::Tensor& sum, const at::Tensor& factor) {
  return sum.is_cuda() && sum.scalar_type() == at::kFloat &&
         (factor.scalar_type() == at::kBFloat16 || factor.scalar_type() == at::kHalf);
}

}  // namespace

at::Tensor matrix_product(const at::Tensor& a, const at::Tensor& b) {
  if (tile_product_applies(a, b)) {
    const at::Tensor y = cpu::new_tensor({a.size(0), b.size(1)}, a.scalar_type());
    tile_product(y, a, b);
    return y;
  }
  const at::Tensor product = onednn_product(a, b);
  return product.defined() ? product : at::mm(a, b);  // [m, n]
}

void matrix_product_into(const at::Tensor& product, const at::Tensor& a, const at::Tensor& b) {
  at::Tensor y = product;
  if (tile_product_applies(a, b))
    tile_product(y, a, b);
  else
    at::mm_out(y, a, b);  // [m, n]
}

void add_matrix_product(const at::Tensor& sum, const at::Tensor& a, const at::Tensor& b) {
  at::Tensor place = sum;
  const bool one_type = sum.scalar_type() == a.scalar_type();
  if (adds_products_of_sixteen_bits(sum, a)) {
    at::addmm_out(place, place, a, b, at::kFloat);  // [m, n]
    return;
  }
  if (sum.scalar_type() == at::kFloat && sum.stride(1) == 1 && tile_product_applies(a, b)) {
    add_tile_product(sum, a, b);
    return;
  }
  const at::Tensor product = one_type ? onednn_product(a, b) : matrix_product(a, b);
  if (!product.defined()) {
    place.addmm_(a, b);  // [m, n]
  } else if (one_type || !cpu::has_kernels(product) || !sum.is_contiguous()) {
    place.add_(product);
  } else {
    cpu::add_to(sum, product);
  }
}

}  // namespace phraseq::nn
