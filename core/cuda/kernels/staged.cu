// Rows of a head in shared memory, from which a warp takes the factors of products. The 8 unused elements behind each row
// let eight neighboring rows begin in different banks.

#define PHRASEQ_STAGED_STRIDE (PHRASEQ_HEAD_DIM + 8)

struct Staged {
  Element* first;

  PHRASEQ_MEMBER Staged from_row(int row) const { return {first + row * PHRASEQ_STAGED_STRIDE}; }
  PHRASEQ_MEMBER Staged from_column(int column) const { return {first + column}; }
};

__device__ inline int whole_tiles(int rows) { return (rows + PHRASEQ_TILE - 1) / PHRASEQ_TILE * PHRASEQ_TILE; }

#if PHRASEQ_WARP == 1
__device__ inline Place place_in(const Staged& staged) { return {staged.first, PHRASEQ_STAGED_STRIDE, PHRASEQ_TILE}; }
__device__ inline Factor left_factor(const Staged& staged) { return left_factor(place_in(staged)); }
__device__ inline Factor right_factor_of_columns(const Staged& staged) { return right_factor_of_columns(place_in(staged)); }
__device__ inline Factor right_factor_of_rows(const Staged& staged) { return right_factor_of_rows(place_in(staged)); }
__device__ inline void write_tile(const Tile& tile, const Staged& staged) { write_tile(tile, place_in(staged)); }

__device__ inline void stage(const Place& from, const Staged& to) {
  for (int row = 0; row < whole_tiles(from.rows); ++row) {
    for (int column = 0; column < PHRASEQ_HEAD_DIM; ++column)
      to.from_row(row).first[column] = row < from.rows ? from.first[row * from.stride + column] : (Element)0;
  }
}
__device__ inline void wait_for_staged() {}
__device__ inline void unstage(const Staged& from, const Place& to) {
  for (int row = 0; row < to.rows; ++row) {
    for (int column = 0; column < PHRASEQ_HEAD_DIM; ++column)
      to.first[row * to.stride + column] = from.from_row(row).first[column];
  }
}
#else
__device__ inline uint32 shared_address(const Element* at) {
  uint32 address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(at));
  return address;
}

// Four 8 × 8 matrices in the layout of the tensor cores (PTX: ldmatrix): lanes 8 i to 8 i + 7 hold the addresses of the
// rows of matrix i.
#define PHRASEQ_READ_MATRICES(factor, row, order)                                                \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4" order ".shared.b16 {%0, %1, %2, %3}, [%4];"       \
               : "=r"(factor.at[0]), "=r"(factor.at[1]), "=r"(factor.at[2]), "=r"(factor.at[3]) \
               : "r"(shared_address(row))                                                        \
               : "memory")
__device__ inline Factor matrices_at(const Element* row) {
  Factor factor;
  PHRASEQ_READ_MATRICES(factor, row, "");
  return factor;
}
__device__ inline Factor transposed_matrices_at(const Element* row) {
  Factor factor;
  PHRASEQ_READ_MATRICES(factor, row, ".trans");
  return factor;
}
// The row whose address this lane holds, if the first two matrices are below each other, and (next function) if they
// are beside each other.
__device__ inline const Element* row_downwards(const Staged& staged) {
  return staged.from_row(warp_lane() % 16).from_column(8 * (warp_lane() / 16)).first;
}
__device__ inline const Element* row_sideways(const Staged& staged) {
  const int lane = warp_lane();
  return staged.from_row(lane % 8 + 8 * (lane / 16)).from_column(8 * (lane / 8 % 2)).first;
}
__device__ inline Factor left_factor(const Staged& staged) { return matrices_at(row_downwards(staged)); }
__device__ inline Factor right_factor_of_columns(const Staged& staged) { return matrices_at(row_sideways(staged)); }
// Sums of products with this factor are in the order of tile_row and tile_column.
__device__ inline Factor right_factor_of_rows(const Staged& staged) { return transposed_matrices_at(row_downwards(staged)); }
__device__ inline void write_tile(const Tile& tile, const Staged& staged) {
  for (int i = 0; i < PHRASEQ_TILE_SHARE; i += 2) {
    Element* const to = staged.from_row(tile_row(i)).from_column(tile_column(i)).first;
    *(uint32*)to = pair(tile.at[i], tile.at[i + 1]);
  }
}

// Rows are copied in packs of 8 elements (16 bytes): a lane copies every 32nd pack of a matrix.
#define PHRASEQ_HEAD_PACKS (PHRASEQ_HEAD_DIM / 8)

// Starts to copy the rows of a place, and fills up the tile with zeros.
__device__ inline void stage(const Place& from, const Staged& to) {
  for (int pack = warp_lane(); pack < whole_tiles(from.rows) * PHRASEQ_HEAD_PACKS; pack += PHRASEQ_WARP) {
    const int row = pack / PHRASEQ_HEAD_PACKS, column = pack % PHRASEQ_HEAD_PACKS * 8;
    const bool is_inside = row < from.rows;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to.from_row(row).first + column)),
                 "l"(from.first + (is_inside ? row : 0) * from.stride + column), "r"(is_inside ? 16 : 0)
                 : "memory");
  }
}
__device__ inline void wait_for_staged() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
}
// Copies to the rows of a place.
__device__ inline void unstage(const Staged& from, const Place& to) {
  for (int pack = warp_lane(); pack < to.rows * PHRASEQ_HEAD_PACKS; pack += PHRASEQ_WARP) {
    const int row = pack / PHRASEQ_HEAD_PACKS, column = pack % PHRASEQ_HEAD_PACKS * 8;
    // Copied as one uint4: a copy of eight elements would be written in four parts.
    *(uint4*)(to.first + row * to.stride + column) = *(const uint4*)(from.from_row(row).first + column);
  }
}
#endif
