#pragma once

#include <cstdint>
#include <immintrin.h>

#include "core/nn/kernels/packed/panel_tiles.h"

/// Products with the tile registers of AMX (Intel's Advanced Matrix Extensions): each holds 16 rows
/// of 64 bytes, of x, of a panel, or of sums.
namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL {
namespace {

constexpr int64_t kTileHeight = 16, kTileBytes = 64;
constexpr int64_t kPanelStep = kPanel * 4;  // bytes between groups of depth

/// The shapes of the tiles, as the instruction ldtilecfg reads them.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

/// The sums of a block of rows with one panel.
struct alignas(64) TileSums {
  int32_t values[kTileHeight][kPanel];  // or floats in the same memory
};

/// Configures the tile registers while it exists: 0 to 3 hold sums [height, 16], 4 holds rows of x,
/// 5 to 7 hold columns of a panel.
class TileRegisters {
 public:
  PHRASEQ_INLINE explicit TileRegisters(int64_t height) {
    TileShapes shapes;
    for (int i = 0; i < 8; ++i) {
      shapes.row_bytes[i] = kTileBytes;
      shapes.rows[i] = static_cast<uint8_t>(i < 5 ? height : kTileHeight);
    }
    asm volatile("ldtilecfg %0" : : "m"(shapes));
  }
  PHRASEQ_INLINE ~TileRegisters() { asm volatile("tilerelease" : :); }
  TileRegisters(const TileRegisters&) = delete;
  TileRegisters& operator=(const TileRegisters&) = delete;
};

/// Computes `sums` of up to 16 rows of x, `x_step` bytes apart, with a panel. `steps` counts the
/// parts of 64 bytes in a row.
template <typename Multiply>
PHRASEQ_INLINE void sum_tiles(
    const void* x, int64_t x_step, const void* panel, int64_t steps, TileSums& sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const auto* row = static_cast<const char*>(x);
  const auto* columns = static_cast<const char*>(panel);
  for (int64_t step = 0; step < steps; ++step) {
    _tile_loadd(4, row, x_step);
    _tile_loadd(5, columns, kPanelStep);
    Multiply::template to<0, 5>();
    _tile_loadd(6, columns + kTileBytes, kPanelStep);
    Multiply::template to<1, 6>();
    _tile_loadd(7, columns + 2 * kTileBytes, kPanelStep);
    Multiply::template to<2, 7>();
    _tile_loadd(5, columns + 3 * kTileBytes, kPanelStep);
    Multiply::template to<3, 5>();
    row += kTileBytes;
    columns += kTileHeight * kPanelStep;
  }
  _tile_stored(0, sums.values[0], kPanelStep);
  _tile_stored(1, sums.values[0] + kLanes, kPanelStep);
  _tile_stored(2, sums.values[0] + 2 * kLanes, kPanelStep);
  _tile_stored(3, sums.values[0] + 3 * kLanes, kPanelStep);
}

/// Calls `visit(row, panel)` for each panel first to last - 1 and blocks of `height` rows that
/// cover first_row to last_row - 1. The last two blocks may overlap, so that all have the same
/// height.
template <typename Visit>
PHRASEQ_INLINE void each_block(int64_t first_row,
                               int64_t last_row,
                               int64_t height,
                               int64_t first,
                               int64_t last,
                               const Visit& visit) {
  for (int64_t panel = first; panel < last; ++panel) {
    for (int64_t row = first_row; row < last_row; row += height)
      visit(smaller(row, last_row - height), panel);
  }
}

/// Calls `visit(row, panel, height)` for blocks that cover all rows, and the panels first to
/// last - 1, with the tile registers configured.
template <typename Visit>
PHRASEQ_INLINE void visit_blocks(
    int64_t rows, int64_t row_bytes, int64_t first, int64_t last, const Visit& visit) {
  const int64_t blocks = (rows + kTileHeight - 1) / kTileHeight;
  const int64_t height = (rows + blocks - 1) / blocks;
  const TileRegisters registers(height);
  const int64_t fitting = kBlockBytes / (row_bytes + 1) / height * height;
  const int64_t step = fitting < height ? height : fitting;
  for (int64_t row = 0; row < rows; row += step) {
    const int64_t end = smaller(row + step, rows);
    each_block(
        smaller(row, end - height), end, height, first, last, [&](int64_t at, int64_t panel) {
          visit(at, panel, height);
        });
  }
}

}  // namespace
}  // namespace phraseq::nn::kernels::PHRASEQ_KERNEL_LEVEL
