#include "core/nn/functional/segments.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/base/error.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/reference/segments_reference.h"
#include "core/nn/optional_tensor.h"

namespace phraseq::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

int64_t count(const SegmentOffsets& offsets) { return static_cast<int64_t>(offsets.size()) - 1; }

void check_offsets(const at::Tensor& rows, const SegmentOffsets& offsets) {
  if (!offsets.empty() && offsets.front() == 0 && offsets.back() == rows.size(0))
    return;
  throw UsageError(fmt::format("segments: {} offsets up to {} do not match {} rows",
                               offsets.size(),
                               offsets.empty() ? 0 : offsets.back(),
                               rows.size(0)),
                   "Offsets must go from 0 to the number of rows.");
}

/// Calls work(range) for the segments, on as many threads as are worthwhile.
template <typename Work>
void over_segments(const SegmentOffsets& offsets, int64_t columns, const Work& work) {
  const int64_t mean_rows =
      std::max<int64_t>(1, offsets.back() / std::max<int64_t>(1, count(offsets)));
  at::parallel_for(
      0, count(offsets), cpu::row_grain(columns * mean_rows), [&](int64_t first, int64_t last) {
        work(kernels::SegmentRange{offsets.data(), first, last, columns});
      });
}

at::Tensor empty_rows(const at::Tensor& like, int64_t rows) {
  return at::empty({rows, like.size(1)}, like.options());
}

class SegmentMax : public torch::autograd::Function<SegmentMax> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const SegmentOffsets* offsets) {
    const at::Tensor y = empty_rows(x, count(*offsets));
    const at::Tensor winners = at::empty(y.sizes(), x.options().dtype(at::kInt));
    cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
      over_segments(*offsets, x.size(1), [&](const kernels::SegmentRange& range) {
        cpu::loops<T>().segment_max(
            cpu::data<T>(x), cpu::mutable_data<T>(y), winners.mutable_data_ptr<int32_t>(), range);
      });
    });
    ctx->save_for_backward({winners});
    ctx->saved_data["offsets"] = *offsets;
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto offsets = ctx->saved_data["offsets"].toIntVector();
    const at::Tensor winners = ctx->get_saved_variables()[0], dy = outputs[0].contiguous();
    const at::Tensor dx = empty_rows(dy, offsets.back());
    cpu::for_type(dy.scalar_type(), [&]<typename T>(T*) {
      over_segments(offsets, dy.size(1), [&](const kernels::SegmentRange& range) {
        cpu::loops<T>().segment_max_backward(
            cpu::data<T>(dy), winners.const_data_ptr<int32_t>(), cpu::mutable_data<T>(dx), range);
      });
    });
    return {dx, at::Tensor()};
  }
};

/// Variables: x, weights (or none: equal shares), rest (or none).
class SegmentSum : public torch::autograd::Function<SegmentSum> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& x,
                            const std::optional<at::Tensor>& maybe_weights,
                            const std::optional<at::Tensor>& maybe_rest,
                            const SegmentOffsets* offsets) {
    const at::Tensor weights = from_optional(maybe_weights), rest = from_optional(maybe_rest);
    const at::Tensor y = empty_rows(x, count(*offsets));
    cpu::for_type(x.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      over_segments(*offsets, x.size(1), [&](const kernels::SegmentRange& range) {
        const cpu::ThreadScratch<S> scratch(range.columns);
        cpu::loops<T>().segment_sum(cpu::data<T>(x),
                                    cpu::data<T>(rest),
                                    cpu::data<S>(weights),
                                    cpu::mutable_data<T>(y),
                                    scratch.get(),
                                    range);
      });
    });
    ctx->save_for_backward({weights.defined() ? x : at::Tensor(), weights, rest});
    ctx->saved_data["offsets"] = *offsets;
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto offsets = ctx->saved_data["offsets"].toIntVector();
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &x = saved[0], &weights = saved[1], &rest = saved[2];
    const at::Tensor dy = outputs[0].contiguous();
    const at::Tensor dx = empty_rows(dy, offsets.back());
    const at::Tensor d_weights = weights.defined() ? at::empty_like(weights) : at::Tensor();
    const at::Tensor d_rest = rest.defined() ? at::empty_like(rest) : at::Tensor();
    cpu::for_type(dy.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      const kernels::SegmentSumGradients<T> task{cpu::data<T>(dy),
                                                 cpu::data<T>(x),
                                                 cpu::data<T>(rest),
                                                 cpu::data<S>(weights),
                                                 cpu::mutable_data<T>(dx),
                                                 cpu::mutable_data<T>(d_rest),
                                                 cpu::mutable_data<S>(d_weights)};
      over_segments(offsets, dy.size(1), [&](const kernels::SegmentRange& range) {
        cpu::loops<T>().segment_sum_backward(task, range);
      });
    });
    return {dx, d_weights, d_rest, at::Tensor()};
  }
};

class SegmentScore : public torch::autograd::Function<SegmentScore> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& row,
                            const at::Tensor& segment,
                            const at::Tensor& w2,
                            const SegmentOffsets* offsets,
                            double p,
                            uint64_t key) {
    const at::Tensor scores = at::empty({row.size(0)}, cpu::sum_options(row));
    cpu::for_type(row.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      const auto task = task_of<T>(row, segment, w2, p, key);
      over_segments(*offsets, row.size(1), [&](const kernels::SegmentRange& range) {
        cpu::loops<T>().segment_scores(task, cpu::mutable_data<S>(scores), range);
      });
    });
    ctx->save_for_backward({row, segment, w2});
    ctx->saved_data["offsets"] = *offsets;
    ctx->saved_data["p"] = p;
    ctx->saved_data["key"] = static_cast<int64_t>(key);
    return scores;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto offsets = ctx->saved_data["offsets"].toIntVector();
    const auto saved = ctx->get_saved_variables();
    const at::Tensor &row = saved[0], &segment = saved[1], &w2 = saved[2];
    const at::Tensor d_scores = outputs[0].contiguous();
    const at::Tensor d_row = at::empty_like(row), d_segment = at::empty_like(segment);
    const at::Tensor d_w2 = at::zeros_like(w2);
    const auto key = static_cast<uint64_t>(ctx->saved_data["key"].toInt());
    const double p = ctx->saved_data["p"].toDouble();
    cpu::for_type(row.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      const auto task = task_of<T>(row, segment, w2, p, key);
      const int64_t columns = row.size(1);
      cpu::sum_over_rows(count(offsets),
                         columns,
                         cpu::mutable_data<S>(d_w2),
                         [&](int64_t first, int64_t last, S* partial) {
                           const cpu::ThreadScratch<S> scratch(columns);
                           cpu::loops<T>().segment_scores_backward(
                               task,
                               {cpu::data<S>(d_scores),
                                cpu::mutable_data<T>(d_row),
                                cpu::mutable_data<T>(d_segment),
                                partial},
                               scratch.get(),
                               {offsets.data(), first, last, columns});
                         });
    });
    return {d_row, d_segment, d_w2, at::Tensor(), at::Tensor(), at::Tensor()};
  }

 private:
  template <typename T>
  static kernels::SegmentScores<T> task_of(const at::Tensor& row,
                                           const at::Tensor& segment,
                                           const at::Tensor& w2,
                                           double p,
                                           uint64_t key) {
    return {cpu::data<T>(row),
            cpu::data<T>(segment),
            cpu::data<kernels::Sum<T>>(w2),
            cpu::make_dropout(p, key)};
  }
};

/// Softmax of a segment's scores, and its derivative: ds = w (dw - Σ w dw).
class SegmentSoftmax : public torch::autograd::Function<SegmentSoftmax> {
 public:
  static at::Tensor forward(AutogradContext* ctx,
                            const at::Tensor& scores,
                            const SegmentOffsets* offsets) {
    const at::Tensor weights = at::empty_like(scores);
    cpu::for_type(scores.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      const S* in = cpu::data<S>(scores);
      S* out = cpu::mutable_data<S>(weights);
      for (size_t s = 0; s + 1 < offsets->size(); ++s) {
        const int64_t first = (*offsets)[s], last = (*offsets)[s + 1];
        if (first == last)
          continue;
        const S highest = *std::max_element(in + first, in + last);
        S sum = 0;
        for (int64_t i = first; i < last; ++i) sum += out[i] = std::exp(in[i] - highest);
        for (int64_t i = first; i < last; ++i) out[i] /= sum;
      }
    });
    ctx->save_for_backward({weights});
    ctx->saved_data["offsets"] = *offsets;
    return weights;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list outputs) {
    const auto offsets = ctx->saved_data["offsets"].toIntVector();
    const at::Tensor weights = ctx->get_saved_variables()[0], up = outputs[0].contiguous();
    const at::Tensor d_scores = at::empty_like(weights);
    cpu::for_type(weights.scalar_type(), [&]<typename T>(T*) {
      using S = kernels::Sum<T>;
      const S *w = cpu::data<S>(weights), *dw = cpu::data<S>(up);
      S* ds = cpu::mutable_data<S>(d_scores);
      for (size_t s = 0; s + 1 < offsets.size(); ++s) {
        S mean = 0;
        for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) mean += w[i] * dw[i];
        for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) ds[i] = w[i] * (dw[i] - mean);
      }
    });
    return {d_scores, at::Tensor()};
  }
};

}  // namespace

at::Tensor segment_max(const at::Tensor& x, const SegmentOffsets& offsets) {
  check_offsets(x, offsets);
  return cpu::has_kernels(x) ? SegmentMax::apply(x.contiguous(), &offsets)
                             : reference::segment_max(x, offsets);
}

at::Tensor segment_mean(const at::Tensor& x, const SegmentOffsets& offsets) {
  check_offsets(x, offsets);
  return cpu::has_kernels(x)
             ? SegmentSum::apply(x.contiguous(), std::nullopt, std::nullopt, &offsets)
             : reference::segment_mean(x, offsets);
}

at::Tensor segment_scores(const at::Tensor& row,
                          const at::Tensor& segment,
                          const at::Tensor& w2,
                          const SegmentOffsets& offsets,
                          double dropout,
                          Context& context) {
  check_offsets(row, offsets);
  const uint64_t key = cpu::dropout_key(dropout, context);
  if (cpu::has_kernels(row)) {
    return SegmentScore::apply(row.contiguous(), segment.contiguous(), w2, &offsets, dropout, key);
  }
  return reference::segment_scores(row, segment, w2, offsets, dropout, key);
}

at::Tensor segment_softmax(const at::Tensor& scores, const SegmentOffsets& offsets) {
  check_offsets(scores, offsets);
  return cpu::has_kernels(scores) ? SegmentSoftmax::apply(scores.contiguous(), &offsets)
                                  : reference::segment_softmax(scores, offsets);
}

at::Tensor segment_weighted_sum(const at::Tensor& x,
                                const at::Tensor& weights,
                                const at::Tensor& rest,
                                const SegmentOffsets& offsets) {
  check_offsets(x, offsets);
  if (!cpu::has_kernels(x))
    return reference::segment_weighted_sum(x, weights, rest, offsets);
  return SegmentSum::apply(x.contiguous(),
                           to_optional(weights.contiguous()),
                           to_optional(rest.defined() ? rest.contiguous() : rest),
                           &offsets);
}

}  // namespace phraseq::nn
