#include "core/nn/functional/device/attention/token_windows.h"

#include <algorithm>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/cuda/kernel_sources.h"
#include "core/data/device/to_device.h"
#include "core/nn/functional/device/attention/kept_tensors.h"
#include "core/nn/functional/device/gpu_kernels.h"

namespace phraseq::nn::gpu {
namespace {

constexpr size_t kMaxLayouts = 24;

/// The struct WindowLayout of windows.cu.
struct WindowLayout {
  int from, to, columns, parts, part_step, part_lag, window, window_step;
};
/// The struct WindowTable of windows.cu.
struct WindowTable {
  long long tokens = 0, read_stride = 0, write_stride = 0;
  WindowLayout layouts[kMaxLayouts] = {};
};

/// Whether pieces of a vector are sums, or several of them are the same columns.
bool needs_a_copy(const VectorLayout& layout) {
  return layout.window > 1 || (layout.parts > 1 && (layout.part_lag != 0 || layout.part_step == 0));
}

at::Tensor copied_places(const std::vector<int64_t>& offsets, at::Device device) {
  const at::Tensor places = at::empty({offsets.back(), 2}, at::kInt);  // [tokens, 2]
  auto* next = places.mutable_data_ptr<int32_t>();
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const int64_t length = offsets[i + 1] - offsets[i];
    for (int64_t t = 0; t < length; ++t) {
      *next++ = static_cast<int32_t>(t);
      *next++ = static_cast<int32_t>(length - 1 - t);
    }
  }
  return to_device(places, device);
}

/// The position of each token in its sentence, and the number of tokens after it, on a device:
/// [tokens, 2] int32 (TokenPlace of windows.cu). Kept as in device_offsets().
at::Tensor token_places(const std::vector<int64_t>& offsets, at::Device device) {
  thread_local KeptTensors<4> kept;
  return kept.get(offsets, {}, device, [&] { return copied_places(offsets, device); });
}

bool is_even(const VectorLayout& layout) {
  return layout.column % kColumnMultiple == 0 && layout.part_step % kColumnMultiple == 0 &&
         layout.window_step % kColumnMultiple == 0;
}

}  // namespace

void TokenWindows::add(const VectorLayout& layout, int64_t width) {
  const int64_t columns = layout.parts * width;
  const int64_t sources = layout.window * (layout.part_step == 0 ? 1 : layout.parts) * width;
  pieces_.push_back({layout, width, columns_});
  columns_ += columns;
  source_columns_ += sources;
  widest_ = std::max(widest_, columns);
  widest_source_ = std::max(widest_source_, sources);
  copies_ = copies_ || needs_a_copy(layout);
}

VectorLayout TokenWindows::place_of(const VectorLayout& layout) const {
  if (!copies_)
    return layout;
  const auto found = std::find_if(
      pieces_.begin(), pieces_.end(), [&](const Piece& piece) { return piece.layout == layout; });
  return {.column = found->to, .parts = layout.parts, .part_step = found->width};
}

bool TokenWindows::fit() const {
  return std::all_of(pieces_.begin(),
                     pieces_.end(),
                     [](const Piece& piece) { return is_even(piece.layout); }) &&
         (!copies_ || pieces_.size() <= kMaxLayouts);
}

void TokenWindows::run(const char* function,
                       const at::Tensor& from,
                       const at::Tensor& to,
                       const std::vector<int64_t>& offsets,
                       int64_t columns) const {
  constexpr int64_t kThreads = 256;
  WindowTable table{offsets.back(), from.size(1), to.size(1)};
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const auto& [layout, width, column] = pieces_[i];
    table.layouts[i] = {static_cast<int>(layout.column),
                        static_cast<int>(column),
                        static_cast<int>(width),
                        static_cast<int>(layout.parts),
                        static_cast<int>(layout.part_step),
                        static_cast<int>(layout.part_lag),
                        static_cast<int>(layout.window),
                        static_cast<int>(layout.window_step)};
  }
  if (table.tokens == 0)
    return;
  const at::Tensor places = token_places(offsets, from.device());
  Arguments arguments;
  arguments.add(from).add(places).add(to).add_value(table);
  launch(from,
         cuda::windows_kernel(element_of(from.scalar_type())),
         function,
         {.blocks = blocks_for(table.tokens * columns / pack_of(from), kThreads),
          .blocks_y = static_cast<uint32_t>(pieces_.size()),
          .threads = kThreads},
         arguments);
}

at::Tensor TokenWindows::vectors_of(const at::Tensor& x,
                                    const std::vector<int64_t>& offsets) const {
  if (!copies_)
    return x;
  const at::Tensor vectors = room_for(x);
  run("sum_windows", x, vectors, offsets, widest_);
  return vectors;
}

at::Tensor TokenWindows::room_for(const at::Tensor& x) const {
  return copies_ ? at::empty({x.size(0), columns_}, x.options()) : x;
}

void TokenWindows::write_to(const at::Tensor& x,
                            const at::Tensor& vectors,
                            const std::vector<int64_t>& offsets) const {
  if (copies_)
    run("spread_windows", vectors, x, offsets, widest_source_);
}

at::Tensor TokenWindows::like(const at::Tensor& x) const {
  return source_columns_ == x.size(1) ? at::empty(x.sizes(), x.options())
                                      : at::zeros(x.sizes(), x.options());
}

}  // namespace phraseq::nn::gpu
