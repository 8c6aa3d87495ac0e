#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace phraseq::score {

/// Rows of statistics, laid out so that sums over many of them stay in vector registers: the
/// columns are divided into slices of up to eight vectors, the last vector is padded with zeros,
/// and the rows' parts of a slice are stored one after the other.
template <class Real>
class SlicedRows {
 public:
  /// `values` row by row.
  SlicedRows(std::span<const double> values, size_t columns) {
    const size_t rows = columns == 0 ? 0 : values.size() / columns;
    for (size_t first = 0; first < columns; first += kMaxVectors * kLanes) {
      Slice& slice = slices_.emplace_back();
      slice.first = first;
      slice.width = std::min(columns - first, kMaxVectors * kLanes);
      slice.vectors = (slice.width + kLanes - 1) / kLanes;
      slice.rows.resize(rows * slice.vectors);
      for (size_t row = 0; row < rows; ++row) {
        for (size_t at = 0; at < slice.width; ++at) {
          slice.rows[row * slice.vectors + at / kLanes].lanes[at % kLanes] =
              static_cast<Real>(values[row * columns + first + at]);
        }
      }
    }
  }

  /// Adds the rows with the indices `chosen`, one after the other, to `sums` [columns].
  void add(std::span<const uint32_t> chosen, std::span<Real> sums) const {
    for (const auto& slice : slices_) {
      std::array<Vector, kMaxVectors> total{};
      for (size_t at = 0; at < slice.width; ++at)
        total[at / kLanes].lanes[at % kLanes] = sums[slice.first + at];
      kAdders[slice.vectors - 1](slice.rows.data(), chosen, total);
      for (size_t at = 0; at < slice.width; ++at)
        sums[slice.first + at] = total[at / kLanes].lanes[at % kLanes];
    }
  }

 private:
  static constexpr size_t kVectorBytes = 16;  // which every x86-64 and every ARM64 supports
  static constexpr size_t kLanes = kVectorBytes / sizeof(Real);
  static constexpr size_t kMaxVectors = 8;
  struct Vector {
    using Lanes [[gnu::vector_size(kVectorBytes)]] = Real;
    Lanes lanes = {};
  };
  using Total = std::array<Vector, kMaxVectors>;

  struct Slice {
    size_t first = 0;          ///< column
    size_t width = 0;          ///< columns
    size_t vectors = 0;        ///< vectors per row
    std::vector<Vector> rows;  ///< [row, vector]
  };

  template <size_t kVectors>
  static void add_rows(const Vector* rows, std::span<const uint32_t> chosen, Total& total) {
    Vector sum[kVectors];
    std::copy_n(total.begin(), kVectors, sum);
    for (const uint32_t row : chosen) {
      const Vector* part = rows + row * kVectors;
      for (size_t at = 0; at < kVectors; ++at) sum[at].lanes += part[at].lanes;
    }
    std::copy_n(sum, kVectors, total.begin());
  }

  using Adder = void (*)(const Vector*, std::span<const uint32_t>, Total&);
  template <size_t... kCounts>
  static constexpr std::array<Adder, kMaxVectors> adders(std::index_sequence<kCounts...>) {
    return {add_rows<kCounts + 1>...};
  }
  static constexpr std::array<Adder, kMaxVectors> kAdders =
      adders(std::make_index_sequence<kMaxVectors>());

  std::vector<Slice> slices_;
};

}  // namespace phraseq::score
