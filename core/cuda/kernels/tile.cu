// 16 × 16 matrices in the registers of a warp, in the layout that the tensor cores multiply (PTX: mma.m16n8k16). Each
// lane holds a share of the elements; element i of a share is at tile_row(i), tile_column(i). If a warp has only one
// thread (in the tests), it holds all elements.

#define PHRASEQ_TILE 16

#if PHRASEQ_WARP == 1
#define PHRASEQ_TILE_SHARE 256
#define PHRASEQ_TILE_ROWS 16  // number of rows of which a lane holds elements

__device__ inline int tile_row(int i) { return i / PHRASEQ_TILE; }
__device__ inline int tile_column(int i) { return i % PHRASEQ_TILE; }
__device__ inline int tile_slot(int i) { return i / PHRASEQ_TILE; }  // index of its row among the lane's rows
__device__ inline int slot_row(int slot) { return slot; }
__device__ inline bool writes_slots() { return true; }
__device__ inline float tile_row_sum(float x) { return x; }
__device__ inline float tile_row_max(float x) { return x; }

struct Factor {  // either factor of a product
  Element at[PHRASEQ_TILE_SHARE];
};
#else
#define PHRASEQ_TILE_SHARE 8
#define PHRASEQ_TILE_ROWS 2

__device__ inline int lane_group() { return threadIdx.x % PHRASEQ_WARP / 4; }
__device__ inline int lane_in_group() { return threadIdx.x % 4; }
__device__ inline int tile_row(int i) { return lane_group() + 8 * (i % 4 / 2); }
__device__ inline int tile_column(int i) { return 8 * (i / 4) + 2 * lane_in_group() + i % 2; }
__device__ inline int tile_slot(int i) { return i % 4 / 2; }
__device__ inline int slot_row(int slot) { return lane_group() + 8 * slot; }
__device__ inline bool writes_slots() { return lane_in_group() == 0; }  // one of the four lanes that share rows
__device__ inline float tile_row_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}
__device__ inline float tile_row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

struct Factor {  // pairs of elements
  uint32 at[4];
};
// Both numbers, rounded to the type of activations.
__device__ inline uint32 pair(float low, float high) {
  uint32 result;
#if PHRASEQ_ELEMENT == 2
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
#else
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
#endif
  return result;
}
#endif

struct Tile {
  float at[PHRASEQ_TILE_SHARE];
};

// The memory of a matrix: rows from `rows` on are read as 0 and not written.
struct Place {
  Element* first;
  int64 stride;
  int rows;

  PHRASEQ_MEMBER Place from_row(int64 row) const { return {first + row * stride, stride, rows - (int)row}; }
  PHRASEQ_MEMBER Place from_column(int64 column) const { return {first + column, stride, rows}; }
};

#if PHRASEQ_WARP == 1
// The left factor, 16 rows of a place.
__device__ inline Factor left_factor(const Place& place) {
  Factor factor;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i)
    factor.at[i] = tile_row(i) < place.rows ? place.first[tile_row(i) * place.stride + tile_column(i)] : (Element)0;
  return factor;
}
// The right factor, as [inner, columns]: the place's rows are its columns.
__device__ inline Factor right_factor_of_columns(const Place& place) {
  Factor factor;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i)
    factor.at[i] = tile_column(i) < place.rows ? place.first[tile_column(i) * place.stride + tile_row(i)] : (Element)0;
  return factor;
}
// The right factor, as [inner, columns]: the place's rows are its rows.
__device__ inline Factor right_factor_of_rows(const Place& place) { return left_factor(place); }
// A result as the left factor of the next product.
__device__ inline Factor left_factor_of(const Tile& tile) {
  Factor factor;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) factor.at[i] = narrow(tile.at[i]);
  return factor;
}
// sum += left right
__device__ inline void add_product(Tile& sum, const Factor& left, const Factor& right) {
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
    for (int k = 0; k < PHRASEQ_TILE; ++k)
      sum.at[i] += wide(left.at[tile_row(i) * PHRASEQ_TILE + k]) * wide(right.at[k * PHRASEQ_TILE + tile_column(i)]);
  }
}
// Reads 16 rows of a place as fp32, in the element order of products with right_factor_of_rows.
__device__ inline Tile read_tile(const Place& place) {
  Tile tile;
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i)
    tile.at[i] = tile_row(i) < place.rows ? wide(place.first[tile_row(i) * place.stride + tile_column(i)]) : 0.0f;
  return tile;
}
// Writes elements in this order to 16 rows of a place.
__device__ inline void write_tile(const Tile& tile, const Place& place) {
  for (int i = 0; i < PHRASEQ_TILE_SHARE; ++i) {
    if (tile_row(i) < place.rows)
      place.first[tile_row(i) * place.stride + tile_column(i)] = narrow(tile.at[i]);
  }
}
#else
// Each lane reads and writes four neighboring columns of a row at once. The tensor cores assign columns 2 t, 2 t + 1, 2
// t + 8 and 2 t + 9 to a lane (t: its number in its group), so the columns of a tile are permuted: in both factors of a
// product, where the order of the inner dimension does not matter; and in sums of products with right_factor_of_rows,
// whose element i is in column 4 t + 2 (i % 2) + i / 4, as in read_tile and write_tile.
struct alignas(8) Pairs {
  uint32 low, high;
};
__device__ inline Pairs pairs_at(const Place& place, int row) {
  return row < place.rows ? *(const Pairs*)(place.first + row * place.stride + 4 * lane_in_group()) : Pairs{0u, 0u};
}
__device__ inline Factor left_factor(const Place& place) {
  const Pairs first = pairs_at(place, lane_group()), second = pairs_at(place, lane_group() + 8);
  return {{first.low, second.low, first.high, second.high}};
}
__device__ inline Factor right_factor_of_columns(const Place& place) {
  const Pairs first = pairs_at(place, lane_group()), second = pairs_at(place, lane_group() + 8);
  return {{first.low, first.high, second.low, second.high}};
}
// Column 2 g is at index g of the first half, column 2 g + 1 at index g of the second half (g: the group of the lane).
__device__ inline uint32 pair_at(const Place& place, int row) {
  return row < place.rows ? *(const uint32*)(place.first + row * place.stride + 2 * lane_group()) : 0u;
}
__device__ inline Factor right_factor_of_rows(const Place& place) {
  Factor factor;
  for (int k = 0; k < 2; ++k) {
    const int row = 2 * lane_in_group() + 8 * k;
    const uint32 upper = pair_at(place, row), lower = pair_at(place, row + 1);
    factor.at[k] = __byte_perm(upper, lower, 0x5410);      // the first elements of both rows
    factor.at[2 + k] = __byte_perm(upper, lower, 0x7632);  // the second elements
  }
  return factor;
}
__device__ inline Factor left_factor_of(const Tile& tile) {
  Factor factor;
  for (int i = 0; i < 4; ++i) factor.at[i] = pair(tile.at[2 * i], tile.at[2 * i + 1]);
  return factor;
}
#if PHRASEQ_ELEMENT == 2
#define PHRASEQ_MMA_TYPES "f32.f16.f16.f32"
#else
#define PHRASEQ_MMA_TYPES "f32.bf16.bf16.f32"
#endif
__device__ inline void add_product(Tile& sum, const Factor& left, const Factor& right) {
  for (int half = 0; half < 2; ++half) {
    float* const c = sum.at + 4 * half;
    asm("mma.sync.aligned.m16n8k16.row.col." PHRASEQ_MMA_TYPES " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(left.at[0]), "r"(left.at[1]), "r"(left.at[2]), "r"(left.at[3]), "r"(right.at[2 * half]),
          "r"(right.at[2 * half + 1]));
  }
}
__device__ inline float low_of(uint32 pair) { return wide((Element)(pair & 0xffffu)); }
__device__ inline float high_of(uint32 pair) { return wide((Element)(pair >> 16)); }
__device__ inline Tile read_tile(const Place& place) {
  Tile tile;
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    const Pairs pairs = pairs_at(place, slot_row(slot));
    tile.at[2 * slot] = low_of(pairs.low);
    tile.at[2 * slot + 4] = high_of(pairs.low);
    tile.at[2 * slot + 1] = low_of(pairs.high);
    tile.at[2 * slot + 5] = high_of(pairs.high);
  }
  return tile;
}
__device__ inline void write_tile(const Tile& tile, const Place& place) {
  for (int slot = 0; slot < PHRASEQ_TILE_ROWS; ++slot) {
    const float* const row = tile.at + 2 * slot;
    if (slot_row(slot) < place.rows) {
      Pairs* const to = (Pairs*)(place.first + slot_row(slot) * place.stride + 4 * lane_in_group());
      *to = {pair(row[0], row[4]), pair(row[1], row[5])};
    }
  }
}
#endif
