#include <cmath>
#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/nn/kernels/always_inline.h"
#include "core/nn/kernels/packed/int8_kernels.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

#if defined(__AVX512BW__)
constexpr int kBytes = 64, kVectors = 4, kTileRows = 6;
#elif defined(__AVX2__)
constexpr int kBytes = 32, kVectors = 2, kTileRows = 6;
#else
constexpr int kBytes = 16, kVectors = 2, kTileRows = 4;
#endif
constexpr int kLanes = kBytes / static_cast<int>(sizeof(int32_t));
constexpr int kPanel = kVectors * kLanes;
constexpr float kLargest = 127.0F;
constexpr float kNothing = 1e-30F;  // a row without larger numbers counts as zeros

/// Rows that are multiplied with one panel after the other stay in the second cache.
constexpr int64_t kBlockBytes = 192 * 1024;

typedef int32_t Sums __attribute__((vector_size(kBytes), may_alias));
typedef int16_t Pairs __attribute__((vector_size(kBytes), may_alias));
#if !defined(__AVX2__)
typedef int8_t Stored __attribute__((vector_size(kBytes / 2), aligned(1), may_alias));
#endif

PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Lane i: a[2i] b[2i] + a[2i+1] b[2i+1].
PHRASEQ_INLINE Sums add_pairs(Pairs a, Pairs b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Sums>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Sums>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Sums>(
      _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  Sums sums;
  for (int i = 0; i < kLanes; ++i) sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

PHRASEQ_INLINE Pairs load_pairs(const int8_t* from) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Pairs>(
      _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#elif defined(__AVX2__)
  return reinterpret_cast<Pairs>(
      _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
#else
  return __builtin_convertvector(*reinterpret_cast<const Stored*>(from), Pairs);
#endif
}

/// One pair in all lanes.
PHRASEQ_INLINE Pairs repeat_pair(const int16_t* from) {
  int32_t pair;
  std::memcpy(&pair, from, sizeof(pair));
  return reinterpret_cast<Pairs>(pair + Sums{});
}

template <int rows>
PHRASEQ_INLINE void finish(const Sums (&sums)[rows][kVectors],
                           const Int8Product<float>& task,
                           int64_t first_row,
                           int64_t column) {
  const int64_t count = smaller(kPanel, task.columns - column);
  for (int i = 0; i < rows; ++i) {
    int32_t numbers[kPanel];
    std::memcpy(numbers, &sums[i], sizeof(numbers));
    float* y = task.y + (first_row + i) * task.y_step + column;
    const float scale = task.x_scales[first_row + i];
    const float* scales = task.scales + column;
    float values[kPanel];
    for (int64_t j = 0; j < count; ++j)
      values[j] = static_cast<float>(numbers[j]) * scales[j] * scale;
    if (task.bias) {
      for (int64_t j = 0; j < count; ++j) values[j] += task.bias[column + j];
    }
    if (task.relu) {
      for (int64_t j = 0; j < count; ++j) values[j] = values[j] > 0.0F ? values[j] : 0.0F;
    }
    for (int64_t j = 0; j < count; ++j) y[j] = values[j];
  }
}

/// `rows` rows with one panel, all sums in registers.
template <int rows>
void tile(const Int8Product<float>& task, int64_t first_row, int64_t panel) {
  const int64_t depth = int8_depth(task.depth);
  const int16_t* x = task.x + first_row * depth;
  const int8_t* w = task.panels + panel * depth * kPanel;
  Sums sums[rows][kVectors] = {};
  for (int64_t k = 0; k < depth; k += 2) {
    const int8_t* row = w + k * kPanel;
    __builtin_prefetch(row + 512);
    Pairs columns[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) columns[v] = load_pairs(row + v * kLanes * 2);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const Pairs factor = repeat_pair(x + i * depth + k);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] += add_pairs(factor, columns[v]);
    }
  }
  finish<rows>(sums, task, first_row, panel * kPanel);
}

void tile_of(int64_t rows, const Int8Product<float>& task, int64_t first_row, int64_t panel) {
  switch (rows) {
    case 1:
      return tile<1>(task, first_row, panel);
    case 2:
      return tile<2>(task, first_row, panel);
    case 3:
      return tile<3>(task, first_row, panel);
    case 4:
      return tile<4>(task, first_row, panel);
    case 5:
      return tile < kTileRows < 5 ? kTileRows : 5 > (task, first_row, panel);
    default:
      return tile<kTileRows>(task, first_row, panel);
  }
}

/// Rows first_row to last_row - 1, in tiles of about the same height, with one panel after the
/// other.
void block(const Int8Product<float>& task,
           int64_t first_row,
           int64_t last_row,
           int64_t first,
           int64_t last) {
  const int64_t rows = last_row - first_row;
  const int64_t count = (rows + kTileRows - 1) / kTileRows;
  for (int64_t panel = first; panel < last; ++panel) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = first_row + rows * i / count, to = first_row + rows * (i + 1) / count;
      tile_of(to - from, task, from, panel);
    }
  }
}

void product(const Int8Product<float>& task, int64_t first, int64_t last) {
  const int64_t fitting = kBlockBytes / (2 * int8_depth(task.depth) + 1);
  const int64_t rows = fitting < kTileRows ? kTileRows : fitting / kTileRows * kTileRows;
  for (int64_t row = 0; row < task.rows; row += rows)
    block(task, row, smaller(row + rows, task.rows), first, last);
}

/// x times the inverse of the scale, to the nearest whole number, ties to even: adding 1.5 · 2^23
/// rounds.
PHRASEQ_INLINE float rounded(float x) {
  constexpr float kRounder = 12582912.0F;
  const float shifted = x + kRounder;
  return shifted - kRounder;
}

void pack_column(const MatrixToPack<float>& matrix, int64_t column, int8_t* panel, float* scale) {
  const float* from = matrix.data + column * matrix.column_step;
  float largest = 0;
  for (int64_t k = 0; k < matrix.depth; ++k) {
    const float size = std::fabs(from[k * matrix.depth_step]);
    largest = size > largest ? size : largest;
  }
  *scale = largest > kNothing ? largest / kLargest : 0.0F;
  const float inverse = largest > kNothing ? kLargest / largest : 0.0F;
  int8_t* to = panel + column % kPanel * 2;
  for (int64_t k = 0; k < matrix.depth; ++k) {
    to[k / 2 * kPanel * 2 + k % 2] =
        static_cast<int8_t>(rounded(from[k * matrix.depth_step] * inverse));
  }
}

void pack(
    const MatrixToPack<float>& matrix, int64_t first, int64_t last, int8_t* panels, float* scales) {
  const int64_t size = int8_depth(matrix.depth) * kPanel;
  std::memset(panels + first * size, 0, static_cast<size_t>((last - first) * size));
  for (int64_t column = first * kPanel; column < smaller(last * kPanel, matrix.columns); ++column)
    pack_column(matrix, column, panels + column / kPanel * size, scales + column);
}

void quantize(
    const float* x, int64_t step, int64_t rows, int64_t depth, int16_t* numbers, float* scales) {
  const int64_t padded = int8_depth(depth);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x + row * step;
    int16_t* to = numbers + row * padded;
    float largest = 0, unusual = 0;
#pragma omp simd reduction(max : largest) reduction(+ : unusual)
    for (int64_t k = 0; k < depth; ++k) {
      const float size = std::fabs(from[k]);
      largest = size > largest ? size : largest;
      unusual += size <= std::numeric_limits<float>::max() ? 0.0F : 1.0F;
    }
    const bool usual = unusual == 0 && largest > kNothing;
    const float inverse = usual ? kLargest / largest : 0.0F;
    const float scale = usual ? largest / kLargest : 0.0F;
    scales[row] = unusual == 0 ? scale : std::numeric_limits<float>::quiet_NaN();
#pragma GCC ivdep
    for (int64_t k = 0; k < depth; ++k)
      to[k] = static_cast<int16_t>(static_cast<int32_t>(rounded(from[k] * inverse)));
    if (padded > depth)
      to[depth] = 0;
  }
}

}  // namespace

template <typename T>
const Int8Kernels<T>& int8_kernels() {
  static constexpr Int8Kernels<T> table{kPanel, pack, quantize, product};
  return table;
}

template const Int8Kernels<float>& int8_kernels<float>();

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
