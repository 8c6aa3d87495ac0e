#include <cstring>
#include <limits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/nn/kernels/packed/narrow_kernels.h"
#include "core/nn/kernels/packed/panel_tiles.h"
#if defined(__AMX_INT8__)
#include "core/nn/kernels/packed/matrix_tiles.h"
#endif

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// Instructions that multiply four pairs of 8-bit numbers need one unsigned factor: x + 128. The
/// offset adds 128 times the sum of a column to that column's sums; this amount is stored in the
/// header of the panel. Without such instructions, pairs of 16-bit numbers are multiplied.
#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)
using Number = uint8_t;
constexpr int kGroup = 4, kOffset = 128;
#else
using Number = int16_t;
constexpr int kGroup = 2, kOffset = 0;
#endif
#if defined(__AMX_INT8__)
constexpr int kStep = 64;
#else
constexpr int kStep = kGroup;
#endif
constexpr int64_t kHead = kOffset ? kPanel * static_cast<int64_t>(sizeof(int32_t)) : 0;  // bytes

// As in core/checkpoint/derived/quantize.cpp, so that stored and computed numbers agree.
constexpr float kLargest = 127.0F;
constexpr float kNothing = 1e-30F;  // a row of only smaller numbers counts as zeros

typedef int32_t Sums __attribute__((vector_size(kBytes), may_alias));
typedef int32_t StoredSums __attribute__((vector_size(kBytes), aligned(1), may_alias));
typedef int16_t Pairs __attribute__((vector_size(kBytes), may_alias));
#if !defined(__AVX2__)
typedef int8_t Stored __attribute__((vector_size(kBytes / 2), aligned(1), may_alias));
#endif

/// `depth` rounded up to the depth of one step of the product.
PHRASEQ_INLINE int64_t filled(int64_t depth) { return (depth + kStep - 1) / kStep * kStep; }
PHRASEQ_INLINE int64_t size_of_row(int64_t depth) {
  return filled(depth) * static_cast<int64_t>(sizeof(Number));
}
PHRASEQ_INLINE int64_t size_of_panel(int64_t depth) { return kHead + filled(depth) * kPanel; }

#if defined(__AVX512VNNI__) || defined(__AVXVNNI__)

typedef Sums Columns;

PHRASEQ_INLINE Columns load_columns(const int8_t* from) {
  return *reinterpret_cast<const StoredSums*>(from);
}

/// Lane i: sum + Σ x[4i + j] w[4i + j] over j = 0 to 3.
PHRASEQ_INLINE Sums add_products(Sums sum, Sums x, Columns w) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Sums>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(w)));
#else
  return reinterpret_cast<Sums>(_mm256_dpbusd_avx_epi32(
      reinterpret_cast<__m256i>(sum), reinterpret_cast<__m256i>(x), reinterpret_cast<__m256i>(w)));
#endif
}

#else

typedef Pairs Columns;

PHRASEQ_INLINE Columns load_columns(const int8_t* from) {
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

/// Lane i: a[2i] b[2i] + a[2i+1] b[2i+1].
PHRASEQ_INLINE Sums products(Pairs a, Pairs b) {
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

PHRASEQ_INLINE Sums add_products(Sums sum, Sums x, Columns w) {
  return sum + products(reinterpret_cast<Pairs>(x), w);
}

#endif

/// One group of a row in all lanes: four bytes.
PHRASEQ_INLINE Sums repeat_group(const Number* from) {
  static_assert(kGroup * sizeof(Number) == sizeof(int32_t));
  int32_t group;
  std::memcpy(&group, from, sizeof(group));
  return group + Sums{};
}

/// The initial values of the sums of a panel's columns.
PHRASEQ_INLINE Sums first_sums(const int8_t* panel, int vector) {
  return kOffset ? Sums(*reinterpret_cast<const StoredSums*>(panel + vector * kBytes)) : Sums{};
}

struct Int8Tile {
  template <int rows>
  PHRASEQ_INLINE static void finish(const Sums (&sums)[rows][kVectors],
                                    const NarrowProduct<float>& task,
                                    int64_t first_row,
                                    int64_t column) {
    const int64_t count = smaller(kPanel, task.columns - column);
    for (int i = 0; i < rows; ++i) {
      int32_t numbers[kPanel];
      std::memcpy(numbers, &sums[i], sizeof(numbers));
      const float scale = task.x_scales[first_row + i];
      float values[kPanel];
      for (int64_t j = 0; j < count; ++j)
        values[j] = static_cast<float>(numbers[j]) * task.scales[column + j] * scale;
      finish_row(values, task, first_row + i, column, count);
    }
  }

  template <int rows>
  PHRASEQ_INLINE static void finish_whole(const Sums (&sums)[rows][kVectors],
                                          const NarrowProduct<float>& task,
                                          int64_t first_row,
                                          int64_t column) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      const int64_t place = column + v * kLanes;
      const Values scales = load(task.scales + place);
      const Values bias = task.bias ? load(task.bias + place) : Values{};
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const Values numbers = __builtin_convertvector(sums[i][v], Values);
        finish_vector(
            numbers * scales * task.x_scales[first_row + i], bias, task, first_row + i, place);
      }
    }
  }

  template <int rows, int panels>
  static void run(const NarrowProduct<float>& task, int64_t first_row, int64_t panel) {
    const int64_t depth = filled(task.depth), panel_size = size_of_panel(task.depth);
    const Number* x = static_cast<const Number*>(task.x) + first_row * depth;
    const int8_t* w = task.panels + panel * panel_size;
    Sums sums[panels][rows][kVectors];
    for (int p = 0; p < panels; ++p) {
      for (int i = 0; i < rows; ++i) {
        for (int v = 0; v < kVectors; ++v) sums[p][i][v] = first_sums(w + p * panel_size, v);
      }
    }
    for (int64_t k = 0; k < depth; k += kGroup) {
#pragma GCC unroll 4
      for (int p = 0; p < panels; ++p) {
        const int8_t* row = w + p * panel_size + kHead + k * kPanel;
        if (kPrefetches<rows>)
          __builtin_prefetch(row + kAhead * kPanel * kGroup);
        Columns columns[kVectors];
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) columns[v] = load_columns(row + v * kLanes * kGroup);
#pragma GCC unroll 8
        for (int i = 0; i < rows; ++i) {
          const Sums factor = repeat_group(x + i * depth + k);
#pragma GCC unroll 4
          for (int v = 0; v < kVectors; ++v)
            sums[p][i][v] = add_products(sums[p][i][v], factor, columns[v]);
        }
      }
    }
    finish_panels<Int8Tile>(sums, task, first_row, panel);
  }
};

#if defined(__AMX_INT8__)

struct MultiplyInt8 {
  template <int sums, int columns>
  PHRASEQ_INLINE static void to() {
    asm volatile("tdpbusd %%tmm%c1, %%tmm4, %%tmm%c0" : : "i"(sums), "i"(columns));
  }
};

/// Fewer rows are multiplied at least as fast without tiles, because most time is spent reading
/// panels.
constexpr int64_t kMinTileRows = 3;

PHRASEQ_INLINE void finish_block(const TileSums& sums,
                                 const NarrowProduct<float>& task,
                                 int64_t first_row,
                                 int64_t height,
                                 int64_t panel) {
  const int8_t* head = task.panels + panel * size_of_panel(task.depth);
  for (int64_t i = 0; i < height; ++i) {
    Sums row[1][1][kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v)
      row[0][0][v] =
          *reinterpret_cast<const Sums*>(sums.values[i] + v * kLanes) + first_sums(head, v);
    finish_panels<Int8Tile>(row, task, first_row + i, panel);
  }
}

void product(const NarrowProduct<float>& task, int64_t first, int64_t last) {
  const int64_t row_size = size_of_row(task.depth), panel_size = size_of_panel(task.depth);
  if (task.rows < kMinTileRows)
    return product_in_tiles<Int8Tile>(task, row_size, first, last);
  TileSums sums;
  visit_blocks(task.rows, row_size, first, last, [&](int64_t row, int64_t panel, int64_t height) {
    const auto* x = static_cast<const char*>(task.x) + row * row_size;
    const int8_t* w = task.panels + panel * panel_size + kHead;
    sum_tiles<MultiplyInt8>(x, row_size, w, row_size / kTileBytes, sums);
    finish_block(sums, task, row, height, panel);
  });
}

#else

void product(const NarrowProduct<float>& task, int64_t first, int64_t last) {
  product_in_tiles<Int8Tile>(task, size_of_row(task.depth), first, last);
}

#endif

/// Rounds to the nearest integer, ties to even. Adding 1.5 · 2^23 is used only where a product and
/// a sum are never fused into one instruction, which would not round the product first, so that
/// levels would differ.
PHRASEQ_INLINE float rounded(float x) {
#if defined(__SSE2__) && !defined(__SSE4_1__)
  constexpr float kRounder = 12582912.0F;
  const float shifted = x + kRounder;
  return shifted - kRounder;
#else
  return __builtin_rintf(x);
#endif
}

/// The largest |x| of `count` values. The bits of numbers that are not finite are larger, as
/// integers, than those of all others.
struct LargestSize {
  typedef int32_t Bits __attribute__((vector_size(kBytes), aligned(sizeof(float)), may_alias));
  static constexpr int32_t kNoSign = 0x7fffffff, kInfinity = 0x7f800000;

  Bits lanes[4] = {};
  int32_t rest = 0;

  PHRASEQ_INLINE void add(const float* values, int64_t count) {
    int64_t k = 0;
    for (; k + 4 * kLanes <= count; k += 4 * kLanes) {
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
        const Bits size = *reinterpret_cast<const Bits*>(values + k + v * kLanes) & kNoSign;
        lanes[v] = size > lanes[v] ? size : lanes[v];
      }
    }
    for (; k < count; ++k) {
      int32_t bits;
      std::memcpy(&bits, values + k, sizeof(bits));
      bits &= kNoSign;
      rest = bits > rest ? bits : rest;
    }
  }

  PHRASEQ_INLINE int32_t bits() const {
    const Bits first = lanes[0] > lanes[1] ? lanes[0] : lanes[1];
    const Bits second = lanes[2] > lanes[3] ? lanes[2] : lanes[3];
    const Bits both = first > second ? first : second;
    int32_t sizes[kLanes], largest = 0;
    std::memcpy(sizes, &both, sizeof(sizes));
#pragma omp simd reduction(max : largest)
    for (int i = 0; i < kLanes; ++i) largest = sizes[i] > largest ? sizes[i] : largest;
    return rest > largest ? rest : largest;
  }
};

PHRASEQ_INLINE float size_of_bits(int32_t bits) {
  float size;
  std::memcpy(&size, &bits, sizeof(size));
  return size;
}

constexpr int64_t kColumnPart = 256;  // number of elements of a column that are rounded at a time

/// Calls `visit(values, count, k)` for parts of a column: values k to k + count - 1.
template <typename Visit>
PHRASEQ_INLINE void each_part(const MatrixToPack<float>& matrix,
                              int64_t column,
                              const Visit& visit) {
  const float* from = matrix.data + column * matrix.column_step;
  for (int64_t k = 0; k < matrix.depth; k += kColumnPart) {
    const int64_t count = smaller(kColumnPart, matrix.depth - k);
    float values[kColumnPart];
    if (matrix.depth_step == 1) {
      visit(from + k, count, k);
    } else {
      for (int64_t i = 0; i < count; ++i) values[i] = from[(k + i) * matrix.depth_step];
      visit(values, count, k);
    }
  }
}

void pack_column(const MatrixToPack<float>& matrix, int64_t column, int8_t* panel, float* scale) {
  LargestSize found;
  each_part(matrix, column, [&](const float* values, int64_t count, int64_t) {
    found.add(values, count);
  });
  const float largest = size_of_bits(found.bits());
  *scale = largest > kNothing ? largest / kLargest : 0.0F;
  const float inverse = largest > kNothing ? kLargest / largest : 0.0F;
  const int64_t lane = column % kPanel;
  int8_t* to = panel + kHead + lane * kGroup;
  int32_t sum = 0;
  each_part(matrix, column, [&](const float* values, int64_t count, int64_t k) {
    int8_t numbers[kColumnPart] = {};
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = static_cast<int8_t>(static_cast<int32_t>(rounded(values[i] * inverse)));
    for (int64_t i = 0; i < count; ++i) sum += numbers[i];
    for (int64_t i = 0; i < count; i += kGroup)
      std::memcpy(to + (k + i) * kPanel, numbers + i, kGroup);
  });
  const int32_t start =
      static_cast<int32_t>(0U - static_cast<uint32_t>(kOffset) * static_cast<uint32_t>(sum));
  if (kOffset)
    std::memcpy(panel + lane * static_cast<int64_t>(sizeof(start)), &start, sizeof(start));
}

void pack(
    const MatrixToPack<float>& matrix, int64_t first, int64_t last, int8_t* panels, float* scales) {
  const int64_t size = size_of_panel(matrix.depth);
  std::memset(panels + first * size, 0, static_cast<size_t>((last - first) * size));
  for (int64_t column = first * kPanel; column < smaller(last * kPanel, matrix.columns); ++column)
    pack_column(matrix, column, panels + column / kPanel * size, scales + column);
}

/// Writes the numbers of a row in the form that `add_products` reads.
PHRASEQ_INLINE void round_row(const float* from, int64_t depth, float inverse, Number* to) {
  int64_t k = 0;
#if defined(__AVX512VNNI__)
  constexpr __mmask16 kAll = 0xffff;
  const __m512 factor = _mm512_set1_ps(inverse);
  const __m512i offset = _mm512_set1_epi32(kOffset);
  for (; k + kLanes <= depth; k += kLanes) {
    const __m512 scaled = _mm512_mul_ps(_mm512_loadu_ps(from + k), factor);
    const __m512i numbers = _mm512_add_epi32(_mm512_maskz_cvtps_epi32(kAll, scaled), offset);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm512_maskz_cvtepi32_epi8(kAll, numbers));
  }
#endif
#pragma GCC ivdep
  for (; k < depth; ++k)
    to[k] = static_cast<Number>(static_cast<int32_t>(rounded(from[k] * inverse)) + kOffset);
}

void quantize(
    const float* x, int64_t step, int64_t rows, int64_t depth, void* numbers, float* scales) {
  const int64_t padded = filled(depth);
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x + row * step;
    Number* to = static_cast<Number*>(numbers) + row * padded;
    LargestSize found;
    found.add(from, depth);
    const int32_t bits = found.bits();
    const float largest = size_of_bits(bits);
    const bool is_finite = bits < LargestSize::kInfinity;
    const bool usual = is_finite && largest > kNothing;
    const float inverse = usual ? kLargest / largest : 0.0F;
    const float scale = usual ? largest / kLargest : 0.0F;
    scales[row] = is_finite ? scale : std::numeric_limits<float>::quiet_NaN();
    if (usual)  // NaN cannot be converted to an integer
      round_row(from, depth, inverse, to);
    for (int64_t k = usual ? depth : 0; k < padded; ++k) to[k] = static_cast<Number>(kOffset);
  }
}

}  // namespace

template <typename T>
const NarrowKernels<T>& int8_kernels() {
  static constexpr NarrowKernels<T> table{
      kPanel, size_of_panel, size_of_row, pack, quantize, product};
  return table;
}

template const NarrowKernels<float>& int8_kernels<float>();

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
