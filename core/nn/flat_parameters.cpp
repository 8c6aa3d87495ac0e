#include "core/nn/flat_parameters.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/nn/module.h>

#include "core/base/error.h"

namespace phraseq::nn {
namespace {

constexpr int64_t kParameterAlignment = 16;  // elements: a cache line of fp32

int64_t aligned(int64_t elements) {
  return (elements + kParameterAlignment - 1) / kParameterAlignment * kParameterAlignment;
}

/// Each distinct parameter under its first name: matrices before vectors, otherwise as registered.
std::vector<FlatParameters::Entry> distinct_parameters(const torch::nn::Module& module) {
  std::vector<FlatParameters::Entry> entries;
  std::unordered_set<const c10::TensorImpl*> seen;
  for (const auto& item : module.named_parameters()) {
    if (seen.insert(item.value().unsafeGetTensorImpl()).second) {
      entries.push_back({item.key(), item.value(), 0});
    }
  }
  std::stable_partition(
      entries.begin(), entries.end(), [](const auto& entry) { return entry.parameter.dim() >= 2; });
  return entries;
}

/// Sets the offset of every entry; returns the number of elements of the whole buffer. Matrices
/// follow one another without gaps, so that neighbors can be read as one matrix.
int64_t lay_out(std::vector<FlatParameters::Entry>& entries) {
  int64_t offset = 0;
  bool in_matrices = true;
  for (auto& entry : entries) {
    if (in_matrices && entry.parameter.dim() < 2) {
      offset = aligned(offset);
      in_matrices = false;
    }
    entry.offset = offset;
    offset += entry.parameter.numel();
  }
  return aligned(offset);
}

void check_same_kind(const std::vector<FlatParameters::Entry>& entries) {
  const at::Tensor& first = entries.front().parameter;
  for (const auto& entry : entries) {
    if (entry.parameter.scalar_type() != first.scalar_type() ||
        entry.parameter.device() != first.device()) {
      throw UsageError(fmt::format("parameter '{}' differs in type or device from '{}'",
                                   entry.name,
                                   entries.front().name),
                       "All parameters of a model must have the same type and device.");
    }
  }
}

void check_same_parameters(const std::vector<FlatParameters::Entry>& replica,
                           const std::vector<FlatParameters::Entry>& original) {
  bool same = replica.size() == original.size();
  for (size_t i = 0; same && i < replica.size(); ++i) {
    same = replica[i].name == original[i].name &&
           replica[i].parameter.sizes() == original[i].parameter.sizes();
  }
  if (!same)
    throw UsageError("two modules that must have the same parameters differ in names or shapes");
}

/// The elements of `buffer` [elements] from `offset` on, in the shape of `like`.
at::Tensor view_at(const at::Tensor& buffer, int64_t offset, const at::Tensor& like) {
  return buffer.narrow(0, offset, like.numel()).view(like.sizes());  // the shape of `like`
}

/// The module's parameters, after checking that they can share a buffer.
std::vector<FlatParameters::Entry> checked_parameters(const torch::nn::Module& module) {
  auto entries = distinct_parameters(module);
  if (entries.empty())
    throw UsageError("a model without parameters cannot be trained or saved");
  check_same_kind(entries);
  return entries;
}

/// Writes zeros between the parameters; the entries are in the order of their offsets.
void clear_gaps(const std::vector<FlatParameters::Entry>& entries, at::Tensor& values) {
  int64_t end = 0;
  for (const auto& entry : entries) {
    values.narrow(0, end, entry.offset - end).zero_();  // [elements of the gap]
    end = entry.offset + entry.parameter.numel();
  }
  values.narrow(0, end, values.numel() - end).zero_();  // [elements of the gap]
}

/// Makes or updates the copy of the values in a 16-bit type.
void make_or_renew(at::Tensor& copy, const at::Tensor& values, at::ScalarType type) {
  c10::NoGradGuard no_grad;
  if (copy.defined()) {
    copy.copy_(values);
  } else {
    copy = values.to(type);
  }
}

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& module, bool with_gradients)
    : entries_(checked_parameters(module)) {
  c10::NoGradGuard no_grad;
  const int64_t size = lay_out(entries_);
  const auto options = entries_.front().parameter.options().requires_grad(false);
  values_ = at::zeros({size}, options);
  if (with_gradients)
    gradients_ = at::zeros({size}, options);
  for (auto& entry : entries_) {
    const at::Tensor view = view_at(values_, entry.offset, entry.parameter);
    view.copy_(entry.parameter);
    entry.parameter.set_data(view);
    if (with_gradients) {
      entry.parameter.mutable_grad() = view_at(gradients_, entry.offset, entry.parameter);
    }
  }
}

FlatParameters FlatParameters::unset(torch::nn::Module& module) {
  c10::NoGradGuard no_grad;
  FlatParameters flat;
  flat.entries_ = checked_parameters(module);
  const int64_t size = lay_out(flat.entries_);
  const auto options = flat.entries_.front().parameter.options().requires_grad(false);
  flat.values_ = at::empty({size}, options);
  clear_gaps(flat.entries_, flat.values_);
  for (auto& entry : flat.entries_)
    entry.parameter.set_data(view_at(flat.values_, entry.offset, entry.parameter));
  return flat;
}

FlatParameters::FlatParameters(torch::nn::Module& module,
                               at::Tensor values,
                               const std::function<int64_t(const Entry&)>& offset_of)
    : entries_(checked_parameters(module)), values_(std::move(values)) {
  c10::NoGradGuard no_grad;
  for (auto& entry : entries_) {
    entry.offset = offset_of(entry);
    entry.parameter.set_data(view_at(values_, entry.offset, entry.parameter));
  }
}

FlatParameters::FlatParameters(torch::nn::Module& replica, const FlatParameters& original)
    : entries_(distinct_parameters(replica)),
      values_(original.values_),
      bf16_(original.bf16_),
      fp16_(original.fp16_) {
  check_same_parameters(entries_, original.entries_);
  c10::NoGradGuard no_grad;
  gradients_ = at::zeros(values_.sizes(), values_.options());  // [elements]
  for (size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    entry.offset = original.entries_[i].offset;
    entry.parameter.set_data(view_at(values_, entry.offset, entry.parameter));
    entry.parameter.mutable_grad() = view_at(gradients_, entry.offset, entry.parameter);
  }
}

void FlatParameters::refresh_bf16() { make_or_renew(bf16_, values_, at::kBFloat16); }

void FlatParameters::refresh_fp16() { make_or_renew(fp16_, values_, at::kHalf); }

void FlatParameters::refresh_copy(Precision precision) {
  if (precision == Precision::kBf16)
    refresh_bf16();
  if (precision == Precision::kFp16)
    refresh_fp16();
}

int64_t FlatParameters::offset_of(const at::Tensor& parameter) const {
  if (parameter.scalar_type() != values_.scalar_type())
    return -1;
  const auto* start = static_cast<const char*>(values_.const_data_ptr());
  const auto* place = static_cast<const char*>(parameter.const_data_ptr());
  if (place < start || place >= start + values_.nbytes())
    return -1;
  return (place - start) / static_cast<int64_t>(values_.element_size());
}

at::Tensor FlatParameters::view_of_copy(const at::Tensor& copy, const at::Tensor& parameter) const {
  const int64_t offset = copy.defined() ? offset_of(parameter) : -1;
  return offset < 0 ? parameter
                    : copy.as_strided(parameter.sizes(),
                                      parameter.strides(),
                                      offset);  // the shape of `parameter`
}

at::Tensor FlatParameters::bf16_view(const at::Tensor& parameter) const {
  return view_of_copy(bf16_, parameter);
}

at::Tensor FlatParameters::fp16_view(const at::Tensor& parameter) const {
  return view_of_copy(fp16_, parameter);
}

at::Tensor FlatParameters::gradient_view(const at::Tensor& parameter) const {
  const int64_t offset = gradients_.defined() ? offset_of(parameter) : -1;
  if (offset < 0)
    return {};
  return gradients_.as_strided(
      parameter.sizes(), parameter.strides(), offset);  // the shape of `parameter`
}

FlatParameters FlatParameters::slice(int64_t begin, int64_t elements) const {
  const auto part_of = [&](const at::Tensor& buffer) {
    return buffer.defined() ? buffer.narrow(0, begin, elements) : buffer;  // [elements]
  };
  FlatParameters part;
  part.values_ = part_of(values_);
  part.gradients_ = part_of(gradients_);
  part.bf16_ = part_of(bf16_);
  part.fp16_ = part_of(fp16_);
  return part;
}

void FlatParameters::zero_gradients() {
  if (gradients_.defined())
    gradients_.zero_();
}

}  // namespace phraseq::nn
