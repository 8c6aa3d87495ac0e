// The sum of each column of a matrix: the gradient of a bias.

// partial [warps, columns] receives the sums over strips of `strip_rows` rows, one for each warp. They are added in order
// afterwards: the same bits in every run.
PHRASEQ_KERNEL void column_sums(const Element* x, float* partial, int64 rows, int columns, int64 strip_rows) {
  const int64 first = grid_warp() * strip_rows;
  const int64 last = first + strip_rows < rows ? first + strip_rows : rows;
  const bool in_packs = columns % PHRASEQ_PACK == 0 && is_aligned(x);
  for (int column = threadIdx.x % PHRASEQ_WARP * PHRASEQ_PACK; column < columns; column += PHRASEQ_WARP * PHRASEQ_PACK) {
    float sums[PHRASEQ_PACK] = {};
    for (int64 row = first; row < last && in_packs; ++row) {
      const Pack<PHRASEQ_PACK> pack = load<PHRASEQ_PACK>(x + row * columns + column);
      for (int i = 0; i < PHRASEQ_PACK; ++i) sums[i] += wide(pack.at[i]);
    }
    for (int64 row = first; row < last && !in_packs; ++row) {
      for (int i = 0; i < PHRASEQ_PACK; ++i) sums[i] += column + i < columns ? wide(x[row * columns + column + i]) : 0.0f;
    }
    for (int i = 0; i < PHRASEQ_PACK; ++i) {
      if (column + i < columns)
        partial[grid_warp() * columns + column + i] = sums[i];
    }
  }
}
