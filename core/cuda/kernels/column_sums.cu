// The sum of each column of a gradient, which is the gradient of a bias; optionally after the backward pass of a ReLU.
//
// A warp processes a strip of `strip_rows` rows and PHRASEQ_CHUNK columns, blocks_y = chunks. partial [strips, columns]
// receives the sums of the strips. These are added in order afterwards, so that every run computes the same bits.

#define PHRASEQ_CHUNK 256

struct ColumnStrips {
  int64 rows, strip_rows;
  int columns;

  PHRASEQ_MEMBER int64 first_row() const { return grid_warp() * strip_rows; }
  PHRASEQ_MEMBER int64 last_row() const { return first_row() + strip_rows < rows ? first_row() + strip_rows : rows; }
  // The first column of a lane; its next columns are PHRASEQ_WARP packs apart.
  PHRASEQ_MEMBER int first_column() const {
    return (int)blockIdx.y * PHRASEQ_CHUNK + warp_lane() * PHRASEQ_PACK;
  }
  PHRASEQ_MEMBER int last_column() const {
    const int end = ((int)blockIdx.y + 1) * PHRASEQ_CHUNK;
    return end < columns ? end : columns;
  }
  PHRASEQ_MEMBER bool has_packs() const { return columns % PHRASEQ_PACK == 0; }

  // Reads numbers of a row from `column` on; 0 beyond the last column.
  PHRASEQ_MEMBER Pack<PHRASEQ_PACK> read(const Element* x, int64 row, int column, bool in_packs) const {
    const Element* const from = x + row * columns + column;
    if (in_packs)
      return load<PHRASEQ_PACK>(from);
    Pack<PHRASEQ_PACK> pack = {};
    for (int i = 0; i < PHRASEQ_PACK && column + i < columns; ++i) pack.at[i] = from[i];
    return pack;
  }
  PHRASEQ_MEMBER void write(const Pack<PHRASEQ_PACK>& pack, int64 row, int column, bool in_packs, Element* x) const {
    Element* const to = x + row * columns + column;
    if (in_packs)
      return store<PHRASEQ_PACK>(to, pack);
    for (int i = 0; i < PHRASEQ_PACK && column + i < columns; ++i) to[i] = pack.at[i];
  }
  PHRASEQ_MEMBER void write_sums(const float* sums, int column, float* partial) const {
    for (int i = 0; i < PHRASEQ_PACK && column + i < columns; ++i) partial[grid_warp() * columns + column + i] = sums[i];
  }
};

__device__ inline void add_pack(const Pack<PHRASEQ_PACK>& pack, float* sums) {
  for (int i = 0; i < PHRASEQ_PACK; ++i) sums[i] += wide(pack.at[i]);
}

// Adds some rows, all of which are read first.
template <int count>
__device__ inline void add_rows(const ColumnStrips& strips, const Element* x, int64 row, int column, bool in_packs,
                                float* sums) {
  Pack<PHRASEQ_PACK> packs[count];
  for (int i = 0; i < count; ++i) packs[i] = strips.read(x, row + i, column, in_packs);
  for (int i = 0; i < count; ++i) add_pack(packs[i], sums);
}

PHRASEQ_KERNEL void column_sums(const Element* x, float* partial, ColumnStrips strips) {
  const int at_once = 8;
  const bool in_packs = strips.has_packs() && is_aligned(x);
  for (int column = strips.first_column(); column < strips.last_column(); column += PHRASEQ_WARP * PHRASEQ_PACK) {
    float sums[PHRASEQ_PACK] = {};
    int64 row = strips.first_row();
    for (; row + at_once <= strips.last_row(); row += at_once) add_rows<at_once>(strips, x, row, column, in_packs, sums);
    for (; row < strips.last_row(); ++row) add_rows<1>(strips, x, row, column, in_packs, sums);
    strips.write_sums(sums, column, partial);
  }
}

// The backward pass of a ReLU with dropout: dx is the gradient of x in y = dropout(max(x, 0)).
struct ReluGradient {
  const Element *dy, *y;
  Element* dx;
  float kept;

  // Elements that were dropped or are not positive are 0 in y.
  PHRASEQ_MEMBER Pack<PHRASEQ_PACK> undo(const Pack<PHRASEQ_PACK>& up, const Pack<PHRASEQ_PACK>& out) const {
    Pack<PHRASEQ_PACK> down;
    for (int i = 0; i < PHRASEQ_PACK; ++i) down.at[i] = narrow(wide(out.at[i]) > 0.0f ? wide(up.at[i]) * kept : 0.0f);
    return down;
  }

  // Writes and adds some rows, all of which are read first.
  template <int count>
  PHRASEQ_MEMBER void add_rows(const ColumnStrips& strips, int64 row, int column, bool in_packs, float* sums) const {
    Pack<PHRASEQ_PACK> up[count], out[count];
    for (int i = 0; i < count; ++i) {
      up[i] = strips.read(dy, row + i, column, in_packs);
      out[i] = strips.read(y, row + i, column, in_packs);
    }
    for (int i = 0; i < count; ++i) {
      const Pack<PHRASEQ_PACK> down = undo(up[i], out[i]);
      strips.write(down, row + i, column, in_packs, dx);
      add_pack(down, sums);
    }
  }
};

// Computes the gradient of x and the sums of its columns from the result y of relu_dropout.
PHRASEQ_KERNEL void relu_dropout_backward(const Element* dy, const Element* y, Element* dx, float* partial, float kept,
                                          ColumnStrips strips) {
  const int at_once = 4;
  const ReluGradient gradient = {dy, y, dx, kept};
  const bool in_packs = strips.has_packs() && is_aligned(dy) && is_aligned(y) && is_aligned(dx);
  for (int column = strips.first_column(); column < strips.last_column(); column += PHRASEQ_WARP * PHRASEQ_PACK) {
    float sums[PHRASEQ_PACK] = {};
    int64 row = strips.first_row();
    for (; row + at_once <= strips.last_row(); row += at_once) gradient.add_rows<at_once>(strips, row, column, in_packs, sums);
    for (; row < strips.last_row(); ++row) gradient.add_rows<1>(strips, row, column, in_packs, sums);
    strips.write_sums(sums, column, partial);
  }
}
