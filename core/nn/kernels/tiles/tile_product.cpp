#include "core/nn/kernels/tiles/tile_product.h"

#include <immintrin.h>

#include "core/nn/kernels/packed/matrix_tiles.h"
#include "core/nn/kernels/tiles/pack_tile.h"

namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

/// The part of b that is packed at a time, which fits into the second-level cache, and its depth,
/// with which 32 rows of a fit into the first-level cache.
constexpr int64_t kPartColumns = 1024, kPartDepth = 512;

PHRASEQ_INLINE int64_t steps_of(int64_t depth) { return (depth + kStep - 1) / kStep; }

/// The numbers of a packed block of 32 rows or columns.
PHRASEQ_INLINE int64_t packed_size(int64_t depth) { return 2 * kTileNumbers * steps_of(depth); }

/// Two rows of tiles of a: their addresses, the bytes between the rows of a tile, and the bytes
/// between tiles.
struct RowTiles {
  const char *upper, *lower;
  int64_t row_bytes, tile_bytes;
};

/// Packs 32 lines from `line` on; missing lines are zeros.
template <bool pairs_first>
PHRASEQ_INLINE void pack_block(
    const Lines& from, int64_t line, int64_t lines, int64_t depth, uint16_t* to) {
  uint16_t* second = to + steps_of(depth) * kTileNumbers;
  for (int64_t k = 0; k < depth; k += kStep, to += kTileNumbers, second += kTileNumbers) {
    const LinesBlock block{from.data + line * from.line_step + k * from.depth_step,
                           from.line_step,
                           from.depth_step,
                           smaller(kBlock, lines - line),
                           smaller(kStep, depth - k)};
    pack_tiles<pairs_first>(block, to, second);
  }
}

/// Finishes a row of a block's sums: adds the sums of earlier parts (`adds`) and, in the last part,
/// rounds the result to y (`rounds`).
template <bool adds, bool rounds>
PHRASEQ_INLINE void finish_row(const float* block, int64_t columns, float* sums, uint16_t* y) {
  for (int64_t j = 0; j < columns; j += kSide) {
    const auto mask = static_cast<__mmask16>((1U << smaller(kSide, columns - j)) - 1U);
    __m512 value = _mm512_load_ps(block + j);
    if (adds)
      value += _mm512_maskz_loadu_ps(mask, sums + j);
    if (rounds)
      _mm256_mask_storeu_epi16(y + j, mask, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(value)));
    else
      _mm512_mask_storeu_ps(sums + j, mask, value);
  }
}

/// The rows of a block that are not finished yet, from `row` to `end`.
template <bool adds, bool rounds>
struct Unfinished {
  const TileProduct* task;
  const float* block;
  int64_t row, end, column;

  PHRASEQ_INLINE void finish(int64_t count) {
    const int64_t columns = smaller(kBlock, task->columns - column);
    for (const int64_t last = smaller(row + count, end); row < last; ++row, block += kBlock) {
      constexpr bool kNeedsSums = adds || !rounds;
      float* sums = kNeedsSums ? task->sums + row * task->step + column : nullptr;
      uint16_t* y = rounds ? task->y + row * task->y_step + column : nullptr;
      finish_row<adds, rounds>(block, columns, sums, y);
    }
  }
};

PHRASEQ_INLINE void store_sums(float* block) {
  constexpr int64_t kRowBytes = kBlock * 4;
  _tile_stored(0, block, kRowBytes);
  _tile_stored(1, block + kSide, kRowBytes);
  _tile_stored(2, block + kSide * kBlock, kRowBytes);
  _tile_stored(3, block + kSide * kBlock + kSide, kRowBytes);
}

/// Computes sums [32, 32] of two rows of tiles and a panel. The previous block is finished between
/// the products, which do not occupy the vector units.
template <typename Before>
PHRASEQ_INLINE void multiply_block(
    const RowTiles& a, const uint16_t* panel, int64_t steps, float* sums, Before& before) {
  const char *upper = a.upper, *lower = a.lower;
  const auto *left = reinterpret_cast<const char*>(panel), *right = left + steps * kTileNumbers * 2;
  const int64_t rows = (kBlock + steps - 1) / steps;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t step = 0; step < steps; ++step) {
    _tile_loadd(4, upper, a.row_bytes);
    _tile_loadd(6, left, kTileBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, right, kTileBytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, lower, a.row_bytes);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    before.finish(rows);
    upper += a.tile_bytes;
    lower += a.tile_bytes;
    left += kTileNumbers * 2;
    right += kTileNumbers * 2;
  }
  store_sums(sums);
}

/// A part of the depth, with a part of b's columns packed.
class Part {
 public:
  Part(const TileProduct& task, int64_t depth, int64_t column, uint16_t* scratch)
      : task_(task),
        first_(depth),
        depth_(smaller(kPartDepth, task.depth - depth)),
        column_(column),
        end_(smaller(column + kPartColumns, task.columns)),
        rows_(scratch),
        panels_(scratch + packed_size(depth_)) {}

  void multiply() {
    pack_columns();
    const bool adds = task_.y == nullptr || first_ > 0;
    const bool rounds = task_.y != nullptr && first_ + depth_ == task_.depth;
    if (rounds)
      adds ? multiply_rows<true, true>() : multiply_rows<false, true>();
    else
      adds ? multiply_rows<true, false>() : multiply_rows<false, false>();
  }

 private:
  uint16_t* panel(int64_t column) const {
    return panels_ + (column - column_) / kBlock * packed_size(depth_);
  }

  void pack_columns() {
    const Lines columns{
        task_.b.data + first_ * task_.b.row_step, task_.b.column_step, task_.b.row_step};
    for (int64_t j = column_; j < end_; j += kBlock)
      pack_block<true>(columns, j, task_.columns, depth_, panel(j));
  }

  template <bool adds, bool rounds>
  void multiply_rows() {
    alignas(64) float blocks[2][kBlock * kBlock];
    float *sums = blocks[0], *next = blocks[1];
    Unfinished<adds, rounds> before{&task_, nullptr, 0, 0, 0};
    for (int64_t row = 0; row < task_.rows; row += kBlock) {
      const int64_t begin = reads_directly() ? smaller(row, task_.rows - kBlock) : row;
      const RowTiles tiles = tiles_of(begin);
      asm volatile("" : : : "memory");  // packed numbers must be in memory before tiles are loaded
      for (int64_t j = column_; j < end_; j += kBlock) {
        multiply_block(tiles, panel(j), steps_of(depth_), sums, before);
        before = {&task_, sums + (row - begin) * kBlock, row, smaller(row + kBlock, task_.rows), j};
        float* const finished = next;
        next = sums;
        sums = finished;
      }
    }
    before.finish(kBlock);
  }

  /// Whether the rows of a are read in place. Rows that are a multiple of 4096 bytes apart compete
  /// for a few lines of the first-level cache.
  bool reads_directly() const {
    return task_.a.column_step == 1 && depth_ % kStep == 0 && task_.rows >= kBlock &&
           task_.a.row_step % 2048 != 0;
  }

  RowTiles tiles_of(int64_t row) {
    const auto bytes = [](const uint16_t* numbers) {
      return reinterpret_cast<const char*>(numbers);
    };
    if (reads_directly()) {
      const uint16_t* from = task_.a.data + row * task_.a.row_step + first_;
      return {
          bytes(from), bytes(from + kSide * task_.a.row_step), task_.a.row_step * 2, kTileBytes};
    }
    const Lines rows{
        task_.a.data + first_ * task_.a.column_step, task_.a.row_step, task_.a.column_step};
    pack_block<false>(rows, row, task_.rows, depth_, rows_);
    return {
        bytes(rows_), bytes(rows_ + steps_of(depth_) * kTileNumbers), kTileBytes, kTileNumbers * 2};
  }

  const TileProduct& task_;
  int64_t first_, depth_, column_, end_;
  uint16_t *rows_, *panels_;
};

int64_t parts(int64_t depth) { return (depth + kPartDepth - 1) / kPartDepth; }

void multiply(const TileProduct& task, void* scratch) {
  const TileRegisters registers(kTileHeight);
  for (int64_t column = 0; column < task.columns; column += kPartColumns) {
    for (int64_t depth = 0; depth < task.depth; depth += kPartDepth)
      Part(task, depth, column, static_cast<uint16_t*>(scratch)).multiply();
  }
}

int64_t scratch_bytes(const TileProduct& task) {
  const int64_t panels = (smaller(task.columns, kPartColumns) + kBlock - 1) / kBlock;
  return (1 + panels) * packed_size(smaller(task.depth, kPartDepth)) * 2;
}

}  // namespace

const TileKernels tile_kernels = {parts, scratch_bytes, multiply};

}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
