#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/nn/kernels/vector_layout.h"

namespace phraseq::nn::gpu {

/// The kernels read 8 neighboring columns at once.
inline constexpr int64_t kColumnMultiple = 8;

/// The vectors that attention reads from the rows of a matrix or writes to them. If some of them
/// are sums over windows, or consist of several tokens' columns, windows.cu makes a matrix in which
/// each vector is in columns of its own.
class TokenWindows {
 public:
  /// Adds the vectors of some heads, `width` columns per piece.
  void add(const VectorLayout& layout, int64_t width);

  /// Where a layout that was added is: in the matrix itself, or in that of the copies.
  VectorLayout place_of(const VectorLayout& layout) const;
  /// Allocates a matrix like x for write_to(): columns that it leaves out are 0.
  at::Tensor like(const at::Tensor& x) const;
  /// Whether windows.cu can copy them: at most 24 layouts, with columns in multiples of
  /// kColumnMultiple.
  bool fit() const;

  /// The vectors of x [tokens, columns of the matrix]: [tokens, columns of the copies], or x itself
  /// if none are copied. `offsets` are those of the sentences.
  at::Tensor vectors_of(const at::Tensor& x, const std::vector<int64_t>& offsets) const;
  /// A matrix for vectors that write_to() then writes to x, not initialized; x itself if none are
  /// copied.
  at::Tensor room_for(const at::Tensor& x) const;
  /// The adjoint of vectors_of(): writes to the columns of x from which it reads.
  void write_to(const at::Tensor& x,
                const at::Tensor& vectors,
                const std::vector<int64_t>& offsets) const;

 private:
  struct Piece {
    VectorLayout layout;
    int64_t width, to;
  };
  void run(const char* function,
           const at::Tensor& from,
           const at::Tensor& to,
           const std::vector<int64_t>& offsets,
           int64_t columns) const;

  std::vector<Piece> pieces_;
  int64_t columns_ = 0, source_columns_ = 0;
  int64_t widest_ = 0, widest_source_ = 0;  ///< columns of the widest vector, and of its sources
  bool copies_ = false;                     ///< whether the vectors are copied
};

}  // namespace phraseq::nn::gpu
