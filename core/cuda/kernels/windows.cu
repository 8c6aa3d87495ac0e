// Sums of the products of a window's tokens, as attention to phrases reads them (core/nn/kernels/vector_layout.h): piece j
// of the vector of token t is
//
//   y[t, to + j · columns] = Σ_w x[t - (window - 1 - w) - part_lag · (parts - 1 - j), from + w · window_step + j · part_step]
//
// where tokens before the sentence count as 0; and the adjoint of this map, which is its gradient.

#define PHRASEQ_LAYOUTS 24

struct WindowLayout {
  int from, to;  // the first columns in x and y
  int columns;   // of a piece
  int parts, part_step, part_lag;
  int window, window_step;
};
struct WindowTable {
  int64 tokens, read_stride, write_stride;  // of the matrix that is read and of that which is written
  WindowLayout layouts[PHRASEQ_LAYOUTS];
};
// A token's position in its sentence, and the number of tokens after it.
struct TokenPlace {
  int before, after;
};

// A thread for each pack of columns of a token's vector; blocks_y = layouts.
PHRASEQ_KERNEL void sum_windows(const Element* x, const TokenPlace* places, Element* y,
                                PHRASEQ_GRID_CONSTANT WindowTable table) {
  const WindowLayout& layout = table.layouts[blockIdx.y];
  const int packs = layout.columns / PHRASEQ_PACK;
  const int64 index = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  const int64 token = index / (packs * layout.parts);
  if (token >= table.tokens)
    return;
  const int piece = (int)(index % (packs * layout.parts));
  const int part = piece / packs, column = piece % packs * PHRASEQ_PACK;
  Columns sum = Columns::zeros();
  for (int w = 0; w < layout.window; ++w) {
    const int shift = layout.window - 1 - w + layout.part_lag * (layout.parts - 1 - part);
    if (shift <= places[token].before)
      sum.add(Columns::of(x + (token - shift) * table.read_stride + layout.from + w * layout.window_step +
                          part * layout.part_step + column));
  }
  sum.write(y + token * table.write_stride + layout.to + part * layout.columns + column);
}

// The adjoint: x from y. A thread for each pack of columns of a token in x.
PHRASEQ_KERNEL void spread_windows(const Element* y, const TokenPlace* places, Element* x,
                                   PHRASEQ_GRID_CONSTANT WindowTable table) {
  const WindowLayout& layout = table.layouts[blockIdx.y];
  const int packs = layout.columns / PHRASEQ_PACK;
  // Parts without a step of their own read the same columns, so their gradients are summed.
  const int sources = layout.part_step != 0 ? layout.parts : 1, summed = layout.parts / sources;
  const int pieces = packs * sources * layout.window;
  const int64 index = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  const int64 token = index / pieces;
  if (token >= table.tokens)
    return;
  const int piece = (int)(index % pieces);
  const int w = piece / (packs * sources), source = piece / packs % sources, column = piece % packs * PHRASEQ_PACK;
  Columns sum = Columns::zeros();
  for (int part = source; part < source + summed; ++part) {
    const int shift = layout.window - 1 - w + layout.part_lag * (layout.parts - 1 - part);
    if (shift <= places[token].after)
      sum.add(Columns::of(y + (token + shift) * table.read_stride + layout.to + part * layout.columns + column));
  }
  sum.write(x + token * table.write_stride + layout.from + w * layout.window_step + source * layout.part_step + column);
}
