#include "core/nn/incremental.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/nn/attend_row.h"
#include "core/nn/incremental_composite.h"

namespace phraseq::nn {

namespace {

constexpr int64_t kBlockSteps = 16;
constexpr int64_t kRowsPerTask = 8;

/// The element type as the kernels know it: bf16 as its bits.
template <class Scalar>
using Kernel = std::conditional_t<std::is_same_v<Scalar, at::BFloat16>, uint16_t, Scalar>;
template <class Scalar>
using Sum = std::conditional_t<std::is_same_v<Scalar, double>, double, float>;

template <class Scalar>
Kernel<Scalar>* data_of(const at::Tensor& tensor) {
  return reinterpret_cast<Kernel<Scalar>*>(tensor.data_ptr<Scalar>());
}

template <class Function>
void dispatch(at::ScalarType type, const Function& function) {
  switch (type) {
    case at::kFloat:
      return function(float{});
    case at::kDouble:
      return function(double{});
    case at::kBFloat16:
      return function(at::BFloat16{});
    default:
      throw std::invalid_argument("incremental attention works in fp32, bf16 or fp64");
  }
}

}  // namespace

Ancestry::Ancestry(int64_t rows) : rows_(rows) {}

void Ancestry::advance() {
  if (steps_ == capacity_) {
    const int64_t larger = std::max<int64_t>(kBlockSteps, 2 * capacity_);
    std::vector<int32_t> table(static_cast<size_t>(rows_ * larger));
    for (int64_t row = 0; row < rows_; ++row) {
      std::copy_n(of(row), steps_, table.begin() + row * larger);
    }
    table_.swap(table);
    capacity_ = larger;
  }
  for (int64_t row = 0; row < rows_; ++row) {
    table_[static_cast<size_t>(row * capacity_ + steps_)] = static_cast<int32_t>(row);
  }
  ++steps_;
}

void Ancestry::select(const std::vector<int64_t>& rows) {
  std::vector<int32_t> table(rows.size() * static_cast<size_t>(capacity_));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(of(rows[i]), steps_, table.begin() + static_cast<int64_t>(i) * capacity_);
  }
  table_.swap(table);
  rows_ = static_cast<int64_t>(rows.size());
}

const int32_t* Ancestry::of(int64_t row) const { return table_.data() + row * capacity_; }

void SelfAttentionCache::append(const at::Tensor& kvq) {
  const int64_t rows = kvq.size(0), width = kvq.size(1) / 3 * 2;
  const bool fits = !blocks_.empty() && used_ < kBlockSteps && blocks_.back().size(1) >= rows;
  if (!fits) {
    blocks_.push_back(at::empty({kBlockSteps, rows, width}, kvq.options()));
    used_ = 0;
  }
  at::Tensor place = blocks_.back()[used_++];
  place.slice(0, 0, rows).copy_(kvq.slice(1, 0, width));
  steps_.push_back(place);
}

at::Tensor SelfAttentionCache::attend(const at::Tensor& kvq,
                                      const Ancestry& ancestry,
                                      int64_t heads,
                                      double scale) {
  append(kvq);
  if (static_cast<int64_t>(steps_.size()) != ancestry.steps()) {
    throw std::logic_error("SelfAttentionCache::attend: the ancestry was not advanced once a step");
  }
  return kvq.device().is_cpu() ? attend_cpu(kvq, ancestry, heads, scale)
                               : self_attention_composite(kvq, steps_, ancestry, heads, scale);
}

at::Tensor SelfAttentionCache::attend_cpu(const at::Tensor& kvq,
                                          const Ancestry& ancestry,
                                          int64_t heads,
                                          double scale) const {
  const int64_t rows = kvq.size(0), model = kvq.size(1) / 3, steps = ancestry.steps();
  const at::Tensor queries = kvq.contiguous();
  at::Tensor out = at::empty({rows, model}, kvq.options());
  const AttendShape shape{heads, model / heads, scale};
  dispatch(kvq.scalar_type(), [&](auto element) {
    using Scalar = decltype(element);
    const auto* q = data_of<Scalar>(queries) + 2 * model;
    auto* result = data_of<Scalar>(out);
    std::vector<const Kernel<Scalar>*> bases;
    for (const at::Tensor& step : steps_) bases.push_back(data_of<Scalar>(step));
    at::parallel_for(0, rows, kRowsPerTask, [&](int64_t begin, int64_t end) {
      std::vector<const Kernel<Scalar>*> keys(static_cast<size_t>(steps));
      std::vector<Sum<Scalar>> weights(static_cast<size_t>(heads * steps));
      for (int64_t row = begin; row < end; ++row) {
        const int32_t* ancestors = ancestry.of(row);
        for (size_t i = 0; i < keys.size(); ++i) keys[i] = bases[i] + ancestors[i] * 2 * model;
        attend_row(
            q + row * 3 * model, keys.data(), steps, shape, weights.data(), result + row * model);
      }
    });
  });
  return out;
}

namespace {

/// The mean over heads of `weights` [heads, keys] into `out` [keys].
template <class Number>
void mean_over_heads(const Number* weights, int64_t heads, int64_t keys, float* out) {
  for (int64_t key = 0; key < keys; ++key) {
    Number sum = 0;
    for (int64_t head = 0; head < heads; ++head) sum += weights[head * keys + key];
    out[key] = static_cast<float>(sum / static_cast<Number>(heads));
  }
}

at::Tensor cross_attention_cpu(const at::Tensor& q,
                               const at::Tensor& kv,
                               const KeyRanges& ranges,
                               const AttendShape& shape,
                               at::Tensor* mean_weights) {
  const int64_t rows = q.size(0), model = q.size(1), longest = ranges.longest();
  at::Tensor out = at::empty({rows, model}, q.options());
  float* mean = mean_weights != nullptr ? mean_weights->data_ptr<float>() : nullptr;
  dispatch(q.scalar_type(), [&](auto element) {
    using Scalar = decltype(element);
    const auto* query = data_of<Scalar>(q);
    const auto* memory = data_of<Scalar>(kv);
    auto* result = data_of<Scalar>(out);
    at::parallel_for(0, rows, kRowsPerTask, [&](int64_t begin, int64_t end) {
      std::vector<const Kernel<Scalar>*> keys(static_cast<size_t>(longest));
      std::vector<Sum<Scalar>> weights(static_cast<size_t>(shape.heads * longest));
      for (int64_t row = begin; row < end; ++row) {
        const int64_t count = ranges.count(row);
        for (int64_t i = 0; i < count; ++i) {
          keys[static_cast<size_t>(i)] = memory + (ranges.begin(row) + i) * 2 * model;
        }
        attend_row(
            query + row * model, keys.data(), count, shape, weights.data(), result + row * model);
        if (mean != nullptr)
          mean_over_heads(weights.data(), shape.heads, count, mean + row * longest);
      }
    });
  });
  return out;
}

}  // namespace

at::Tensor decode_cross_attention(const at::Tensor& q,
                                  const at::Tensor& kv,
                                  const std::vector<int64_t>& offsets,
                                  const std::vector<int64_t>& sentence_of_row,
                                  int64_t heads,
                                  double scale,
                                  at::Tensor* weights) {
  const KeyRanges ranges{offsets, sentence_of_row};
  const AttendShape shape{heads, q.size(1) / heads, scale};
  if (weights != nullptr) {
    *weights = at::zeros({q.size(0), ranges.longest()}, q.options().dtype(at::kFloat));
  }
  return q.device().is_cpu()
             ? cross_attention_cpu(q.contiguous(), kv.contiguous(), ranges, shape, weights)
             : cross_attention_composite(q, kv, ranges, heads, scale, weights);
}

}  // namespace phraseq::nn
