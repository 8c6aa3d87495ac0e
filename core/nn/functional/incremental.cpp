#include "core/nn/functional/incremental.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/zeros.h>

#include "core/base/work_profile.h"
#include "core/data/device/to_device.h"
#include "core/nn/functional/cpu_kernels.h"
#include "core/nn/functional/device/attention/fused_attention.h"
#include "core/nn/functional/device/attention/past_attention.h"
#include "core/nn/functional/reference/incremental_reference.h"
#include "core/nn/kernels/kernels.h"

namespace phraseq::nn {
namespace {

constexpr int64_t kBlockSteps = 16;  // at most, in a block of a cache
/// Blocks that would be larger have fewer steps and this size, whatever the number of rows: the
/// allocator can then reuse a block of an earlier batch, whose memory need not be cleared.
constexpr int64_t kBlockBytes = int64_t{4} << 20;
/// The least number of rows per thread, with all heads.
constexpr int64_t kRowsPerTask = 8;

/// Which keys a row attends to: `keys` receives a pointer for each token. Returns their number.
template <typename T>
using KeysOfRow = std::function<int64_t(int64_t row, std::vector<const T*>& keys)>;

/// The memory of a call's weights: [query kinds, heads, rows, key kinds, longest].
struct WeightsPlace {
  float* data;
  int64_t rows, heads, key_kinds, longest;

  /// Writes the weights `shares` of one kind of query, which are stored head by head and within a
  /// head by kind of key.
  template <class Number>
  void write(const HeadGroup& group,
             const QueryKind& query,
             int64_t row,
             int64_t tokens,
             const Number* shares) const {
    for (int64_t head = group.first_head; head < group.first_head + group.heads; ++head) {
      const int64_t line = (query.index * heads + head) * rows + row;
      for (const KeyKind& kind : group.keys) {
        float* place = data + (line * key_kinds + kind.index) * longest;
        for (int64_t token = kind.first; token < tokens; ++token)
          place[token] = static_cast<float>(*shares++);
      }
    }
  }
};

AttendShape shape_of(const AttentionLayout& layout,
                     const HeadGroup& group,
                     const QueryKind& query) {
  return {.heads = group.heads,
          .head_dim = layout.head_dim,
          .kinds = group.keys.data(),
          .kind_count = static_cast<int64_t>(group.keys.size()),
          .queries = query.queries.data(),
          .shared_query = query.queries.size() == 1};
}

/// The number of weights of all heads of a group, at most.
int64_t most_weights(const AttentionLayout& layout, int64_t tokens) {
  int64_t most = 0;
  for (const HeadGroup& group : layout.groups) {
    most = std::max(most, group.heads * shape_of(layout, group, group.queries[0]).keys_of(tokens));
  }
  return most;
}

/// One row of queries, the tokens that it attends to, and its result.
template <typename T>
struct AttendedRow {
  int64_t number;
  const T* q;
  const T* const* kv;  ///< [tokens]
  int64_t tokens;
  T* out;
};

/// Computes all heads of a row. `shares` is memory for the weights of a group.
template <typename T>
void attend_heads(const AttendedRow<T>& row,
                  const AttentionLayout& layout,
                  kernels::Sum<T>* shares,
                  const WeightsPlace* weights) {
  for (const HeadGroup& group : layout.groups) {
    for (const QueryKind& query : group.queries) {
      T* out = row.out + query.out.column;
      if (query.first > 0) {
        std::fill_n(out, group.heads * layout.head_dim, T{});
        continue;
      }
      cpu::loops<T>().attend_row(
          row.q, row.kv, row.tokens, shape_of(layout, group, query), shares, out);
      if (weights)
        weights->write(group, query, row.number, row.tokens, shares);
    }
  }
}

/// Computes all heads of all rows; q [rows, …] with its columns together, out [rows, out columns].
template <typename T>
void attend_rows(const at::Tensor& q,
                 const AttentionLayout& layout,
                 int64_t most_tokens,
                 const KeysOfRow<T>& keys_of_row,
                 at::Tensor& out,
                 const WeightsPlace* weights) {
  const WorkSpan span(Work::kAttention);
  const T* queries = cpu::data<T>(q);
  T* results = cpu::mutable_data<T>(out);
  at::parallel_for(0, q.size(0), kRowsPerTask, [&](int64_t begin, int64_t end) {
    std::vector<const T*> keys(static_cast<size_t>(most_tokens));
    std::vector<kernels::Sum<T>> shares(static_cast<size_t>(most_weights(layout, most_tokens)));
    for (int64_t row = begin; row < end; ++row) {
      const int64_t tokens = keys_of_row(row, keys);
      attend_heads<T>({row,
                       queries + row * q.stride(0),
                       keys.data(),
                       tokens,
                       results + row * layout.out_columns},
                      layout,
                      shares.data(),
                      weights);
    }
  });
}

/// Allocates a block [steps, rows, columns] for the keys and values [rows, columns] of a step and
/// of later steps.
at::Tensor new_block(int64_t rows, int64_t columns, const at::TensorOptions& options) {
  const int64_t most = kBlockBytes / static_cast<int64_t>(options.dtype().itemsize());
  const int64_t size = std::max<int64_t>(1, rows * columns);
  const int64_t steps =  // operators select from a whole block at once
      options.device().is_cpu() ? std::clamp<int64_t>(most / size, 1, kBlockSteps) : kBlockSteps;
  const int64_t elements = steps == kBlockSteps ? steps * size : std::max(most, size);
  return at::empty({elements}, options)
      .narrow(0, 0, steps * rows * columns)
      .view({steps, rows, columns});
}

/// Copies rows, each of which is contiguous. For few rows, ATen's copy takes longer to prepare than
/// to copy.
void copy_rows(const at::Tensor& from, const at::Tensor& to) {
  const auto element = static_cast<int64_t>(from.element_size());
  const auto* source = static_cast<const char*>(from.const_data_ptr());
  auto* target = static_cast<char*>(to.mutable_data_ptr());
  const auto bytes = static_cast<size_t>(from.size(1) * element);
  for (int64_t row = 0; row < from.size(0); ++row)
    std::memcpy(
        target + row * to.stride(0) * element, source + row * from.stride(0) * element, bytes);
}

}  // namespace

Ancestry::Ancestry(int64_t rows) : rows_(rows) {}

void Ancestry::advance() {
  device_copy_.reset();
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
  const WorkSpan span(Work::kCaches);
  device_copy_.reset();
  std::vector<int32_t> table(rows.size() * static_cast<size_t>(capacity_));
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(of(rows[i]), steps_, table.begin() + static_cast<int64_t>(i) * capacity_);
  }
  table_.swap(table);
  rows_ = static_cast<int64_t>(rows.size());
}

const int32_t* Ancestry::of(int64_t row) const { return table_.data() + row * capacity_; }

at::Tensor Ancestry::on(at::Device device) const {
  if (!device_copy_.defined() || device_copy_.device() != device) {
    const at::Tensor table = at::empty({rows_, capacity_}, at::kInt);
    std::copy(table_.begin(), table_.end(), table.mutable_data_ptr<int32_t>());
    device_copy_ = to_device(table, device);
  }
  return device_copy_;
}

bool SelfAttentionCache::has_room(int64_t rows) const {
  return !blocks_.empty() && used_ < blocks_.back().size(0) && blocks_.back().size(1) >= rows;
}

at::Tensor SelfAttentionCache::open_step(int64_t rows,
                                         int64_t columns,
                                         const at::TensorOptions& options) {
  if (!has_room(rows)) {
    if (!blocks_.empty())  // the steps that it was not used for
      blocks_.back() = blocks_.back().narrow(0, 0, used_);
    blocks_.push_back(new_block(rows, columns, options));
    used_ = 0;
  }
  const at::Tensor& step = steps_.emplace_back(blocks_.back()[used_++]);  // [rows then, columns]
  return step.size(0) == rows ? step : step.narrow(0, 0, rows);           // [rows, columns]
}

void SelfAttentionCache::append(const at::Tensor& kv) {
  const WorkSpan span(Work::kCaches);
  const at::Tensor step = open_step(kv.size(0), kv.size(1), kv.options());
  if (cpu::has_kernels(kv) && kv.stride(1) == 1) {
    copy_rows(kv, step);
  } else {
    step.copy_(kv);
  }
}

void SelfAttentionCache::check_steps(const Ancestry& ancestry) const {
  if (static_cast<int64_t>(steps_.size()) != ancestry.steps()) {
    throw std::logic_error(
        "SelfAttentionCache::attend: the ancestry must be advanced once per step");
  }
}

at::Tensor SelfAttentionCache::attend(const at::Tensor& q,
                                      const Ancestry& ancestry,
                                      const AttentionLayout& layout) const {
  check_steps(ancestry);
  return cpu::has_kernels(q) ? attend_cpu(q, ancestry, layout)
                             : self_attention_reference(q, blocks_, ancestry, layout);
}

at::Tensor SelfAttentionCache::append_and_attend(const at::Tensor& kvq,
                                                 const Ancestry& ancestry,
                                                 int64_t heads,
                                                 double scale) {
  const int64_t model = kvq.size(1) / 3;
  const size_t blocks = blocks_.size() + (has_room(kvq.size(0)) ? 0 : 1);
  if (gpu::past_attention_applies(kvq, heads, blocks)) {
    const WorkSpan span(Work::kAttention);
    open_step(kvq.size(0), 2 * model, kvq.options());
    check_steps(ancestry);
    return gpu::past_attention(kvq, blocks_, ancestry, heads, scale);
  }
  append(kvq.narrow(1, 0, 2 * model));
  check_steps(ancestry);
  return cpu::has_kernels(kvq)
             ? attend_cpu(kvq, ancestry, plain_layout(model, heads, scale, 2 * model))
             : self_attention_reference(kvq, blocks_, ancestry, heads, scale);
}

at::Tensor SelfAttentionCache::attend_cpu(const at::Tensor& q,
                                          const Ancestry& ancestry,
                                          const AttentionLayout& layout) const {
  const at::Tensor queries = q.stride(1) == 1 ? q : q.contiguous();
  at::Tensor out = cpu::new_tensor({q.size(0), layout.out_columns}, q.scalar_type());
  cpu::for_type(q.scalar_type(), [&]<typename T>(T*) {
    const int64_t columns = steps_.back().size(1);
    std::vector<const T*> bases;
    for (const at::Tensor& step : steps_) bases.push_back(cpu::data<T>(step));
    const auto keys_of_row = [&](int64_t row, std::vector<const T*>& keys) {
      const int32_t* ancestors = ancestry.of(row);
      for (size_t i = 0; i < keys.size(); ++i) keys[i] = bases[i] + ancestors[i] * columns;
      return ancestry.steps();
    };
    attend_rows<T>(queries, layout, ancestry.steps(), keys_of_row, out, nullptr);
  });
  return out;
}

namespace {

/// q [rows, …], kv [source tokens, …] → [rows, out columns]; `weights` [query kinds, heads, rows,
/// key kinds, longest].
at::Tensor cross_attention_cpu(const at::Tensor& q,
                               const at::Tensor& kv,
                               const KeyRanges& ranges,
                               const AttentionLayout& layout,
                               at::Tensor* weights) {
  at::Tensor out = cpu::new_tensor({q.size(0), layout.out_columns}, q.scalar_type());
  WeightsPlace place{nullptr, q.size(0), layout.heads, layout.key_kinds, ranges.longest()};
  if (weights) {
    *weights =
        at::zeros({layout.query_kinds, layout.heads, q.size(0), layout.key_kinds, ranges.longest()},
                  q.options().dtype(at::kFloat));
    place.data = weights->data_ptr<float>();
  }
  cpu::for_type(q.scalar_type(), [&]<typename T>(T*) {
    const T* memory = cpu::data<T>(kv);
    const auto keys_of_row = [&](int64_t row, std::vector<const T*>& keys) {
      const int64_t count = ranges.count(row), columns = kv.size(1);
      for (int64_t i = 0; i < count; ++i)
        keys[static_cast<size_t>(i)] = memory + (ranges.begin(row) + i) * columns;
      return count;
    };
    attend_rows<T>(q, layout, ranges.longest(), keys_of_row, out, weights ? &place : nullptr);
  });
  return out;
}

/// The offsets of the rows of each sentence, if rows are in the order of the sentences; otherwise
/// empty.
std::vector<int64_t> offsets_of_rows(const std::vector<int64_t>& sentence_of_row,
                                     size_t sentences) {
  if (!std::is_sorted(sentence_of_row.begin(), sentence_of_row.end()))
    return {};
  std::vector<int64_t> offsets(sentences + 1);
  for (const int64_t sentence : sentence_of_row) ++offsets[static_cast<size_t>(sentence) + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

/// Computes plain attention by ATen's operators: q [rows, model] → [rows, model].
at::Tensor cross_attention_by_operators(const at::Tensor& q,
                                        const at::Tensor& kv,
                                        const KeyRanges& ranges,
                                        int64_t heads,
                                        double scale,
                                        at::Tensor* weights) {
  const auto layout = plain_layout(q.size(1), heads, scale, 0);
  const auto row_offsets = offsets_of_rows(ranges.sentence_of_row, ranges.offsets.size() - 1);
  const SentenceRows rows{row_offsets, ranges.offsets};
  if (weights == nullptr && !row_offsets.empty()) {
    const at::Tensor out = fused_attention(q, kv, rows, layout, /*causal=*/false);
    if (out.defined())
      return out;
  }
  return cross_attention_reference(q, kv, ranges, heads, scale, weights);
}

}  // namespace

at::Tensor decode_cross_attention(const at::Tensor& q,
                                  const at::Tensor& kv,
                                  const std::vector<int64_t>& offsets,
                                  const std::vector<int64_t>& sentence_of_row,
                                  const AttentionLayout& layout,
                                  at::Tensor* weights) {
  const KeyRanges ranges{offsets, sentence_of_row};
  return cpu::has_kernels(q)
             ? cross_attention_cpu(q.contiguous(), kv.contiguous(), ranges, layout, weights)
             : cross_attention_reference(q, kv, ranges, layout, weights);
}

at::Tensor decode_cross_attention(const at::Tensor& q,
                                  const at::Tensor& kv,
                                  const std::vector<int64_t>& offsets,
                                  const std::vector<int64_t>& sentence_of_row,
                                  int64_t heads,
                                  double scale,
                                  at::Tensor* weights) {
  if (!cpu::has_kernels(q)) {
    const KeyRanges ranges{offsets, sentence_of_row};
    if (weights)
      *weights = at::zeros({q.size(0), ranges.longest()},
                           q.options().dtype(at::kFloat));  // [rows, longest]
    return cross_attention_by_operators(q, kv, ranges, heads, scale, weights);
  }
  at::Tensor all_weights;  // [1, heads, rows, 1, longest]
  const at::Tensor out = decode_cross_attention(q,
                                                kv,
                                                offsets,
                                                sentence_of_row,
                                                plain_layout(q.size(1), heads, scale, 0),
                                                weights ? &all_weights : nullptr);
  if (weights)
    *weights = all_weights.mean({0, 1, 3});  // [rows, longest]
  return out;
}

}  // namespace phraseq::nn
