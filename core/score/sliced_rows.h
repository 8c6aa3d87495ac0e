#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace phraseq::score {

/// Rows of statistics, laid out so that sums over many of them run in vector registers: the columns
/// are cut into slices of a cache line, the last one filled up with zeros, and the rows' parts of a
/// slice lie one behind the other.
template <class Real>
class SlicedRows {
 public:
  /// `values` row by row.
  SlicedRows(std::span<const double> values, size_t columns)
      : columns_(columns), rows_(columns == 0 ? 0 : values.size() / columns) {
    slices_.resize(rows_ * ((columns_ + kLanes - 1) / kLanes));
    for (size_t at = 0; at < values.size(); ++at) {
      const size_t column = at % columns_;
      lane(slices_[column / kLanes * rows_ + at / columns_], column % kLanes) =
          static_cast<Real>(values[at]);
    }
  }

  /// Adds the rows that `chosen` names, one after the other, to `sums` [columns].
  void add(std::span<const uint32_t> chosen, std::span<Real> sums) const {
    for (size_t first = 0; first < columns_; first += kLanes) {
      const size_t width = std::min(kLanes, columns_ - first);
      Slice total;
      for (size_t at = 0; at < width; ++at) lane(total, at) = sums[first + at];
      add_slices(&slices_[first / kLanes * rows_], chosen, total);
      for (size_t at = 0; at < width; ++at) sums[first + at] = lane(total, at);
    }
  }

 private:
  static constexpr size_t kVectorBytes = 16;
  static constexpr size_t kVectors = 4;
  static constexpr size_t kLanesOfVector = kVectorBytes / sizeof(Real);
  static constexpr size_t kLanes = kVectors * kLanesOfVector;

  using Vector [[gnu::vector_size(kVectorBytes)]] = Real;
  struct alignas(kVectors* kVectorBytes) Slice {
    Vector vectors[kVectors] = {};
  };

  static auto& lane(Slice& slice, size_t at) {
    return slice.vectors[at / kLanesOfVector][at % kLanesOfVector];
  }

  static void add_slices(const Slice* rows, std::span<const uint32_t> chosen, Slice& total) {
    Slice sum = total;
    for (const uint32_t row : chosen) {
      for (size_t at = 0; at < kVectors; ++at) sum.vectors[at] += rows[row].vectors[at];
    }
    total = sum;
  }

  size_t columns_;
  size_t rows_;
  std::vector<Slice> slices_;  ///< [slice][row]
};

}  // namespace phraseq::score
