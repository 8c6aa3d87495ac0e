// The element-wise passes of an LSTM over a window of tokens that ends at each token, step by step:
//
//   i, f, o = σ(·), g = tanh(·),   c ← f c + i g,   h ← o tanh(c)             (Hochreiter and Schmidhuber 1997)
//
// Place p of a window of `gram` tokens is the token gram - 1 - p tokens before its last one; it is a zero row if the
// sentence begins later. Rows are [tokens · streams, width]: stream s of token t is row t · streams + s. A row of gates is
// i, f, g and o, of `width` columns each. The CPU's loops are in plugins/architectures/phrase_transformer/lstm_kernels.h.
//
// A thread computes a pack of neighboring columns of a row.

struct LstmShape {
  int64 rows;
  int width, streams;
  int gram, shift;  // shift: the row of a step's products is `shift` tokens before
  uint64 key;       // of dropout, 0 = none; elements are numbered place by place
  uint32 threshold;
  float kept;
};

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }
__device__ inline float hyperbolic_tangent(float x) { return 2.0f / (1.0f + exponential(-2.0f * x)) - 1.0f; }

// The row and the first column of this thread.
struct RowPack {
  int64 row;
  int column;

  PHRASEQ_MEMBER explicit RowPack(int width) {
    const int64 index = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    row = index / (width / PHRASEQ_PACK);
    column = (int)(index % (width / PHRASEQ_PACK)) * PHRASEQ_PACK;
  }
  PHRASEQ_MEMBER int64 in(int width) const { return row * width + column; }
};

// One step. At the first one, `recurrent` and `c_before` are null.
PHRASEQ_KERNEL void lstm_step(const Element* products, const int64* positions, const Element* recurrent,
                              const float* bias, const float* c_before, Element* gates, float* c, Element* h,
                              LstmShape shape) {
  const int n = shape.width;
  const RowPack at(n);
  if (at.row >= shape.rows)
    return;
  const bool exists = positions[at.row / shape.streams] >= shape.shift;
  const Element* const input = products + (at.row - (int64)shape.shift * shape.streams) * 4 * n + at.column;
  const int64 own = at.row * 4 * n + at.column;
  Columns sums[4];
  for (int gate = 0; gate < 4; ++gate) {
    sums[gate] = Columns::of_sums(bias + gate * n + at.column);
    if (exists)
      sums[gate].add(Columns::of(input + gate * n));
    if (recurrent != 0)
      sums[gate].add(Columns::of(recurrent + own + gate * n));
  }
  Columns before = c_before != 0 ? Columns::of_sums(c_before + at.in(n)) : Columns::zeros();
  Columns hidden;
  for (int i = 0; i < PHRASEQ_PACK; ++i) {
    sums[0].at[i] = sigmoid(sums[0].at[i]);
    sums[1].at[i] = sigmoid(sums[1].at[i]);
    sums[2].at[i] = hyperbolic_tangent(sums[2].at[i]);
    sums[3].at[i] = sigmoid(sums[3].at[i]);
    before.at[i] = sums[1].at[i] * before.at[i] + sums[0].at[i] * sums[2].at[i];
    hidden.at[i] = sums[3].at[i] * hyperbolic_tangent(before.at[i]);
  }
  for (int gate = 0; gate < 4; ++gate) sums[gate].write(gates + own + gate * n);
  before.write_sums(c + at.in(n));
  hidden.write(h + at.in(n));
}

// The backward pass of a step. dc: the gradient of c, which becomes that of c_before; at the first step, c_before is null.
PHRASEQ_KERNEL void lstm_step_backward(const Element* gates, const float* c_before, const float* c, const Element* dh,
                                       float* dc, Element* d_gates, LstmShape shape) {
  const int n = shape.width;
  const RowPack at(n);
  if (at.row >= shape.rows)
    return;
  const int64 own = at.row * 4 * n + at.column;
  Columns gate[4];
  for (int k = 0; k < 4; ++k) gate[k] = Columns::of(gates + own + k * n);
  const Columns before = c_before != 0 ? Columns::of_sums(c_before + at.in(n)) : Columns::zeros();
  const Columns cell = Columns::of_sums(c + at.in(n)), up = Columns::of(dh + at.in(n));
  Columns d_cell = Columns::of_sums(dc + at.in(n));
  for (int k = 0; k < PHRASEQ_PACK; ++k) {
    const float i = gate[0].at[k], f = gate[1].at[k], g = gate[2].at[k], o = gate[3].at[k];
    const float squashed = hyperbolic_tangent(cell.at[k]);
    const float d = d_cell.at[k] + up.at[k] * o * (1.0f - squashed * squashed);
    gate[0].at[k] = d * g * i * (1.0f - i);
    gate[1].at[k] = d * before.at[k] * f * (1.0f - f);
    gate[2].at[k] = d * i * (1.0f - g * g);
    gate[3].at[k] = up.at[k] * squashed * o * (1.0f - o);
    d_cell.at[k] = d * f;
  }
  for (int k = 0; k < 4; ++k) gate[k].write(d_gates + own + k * n);
  if (c_before != 0)
    d_cell.write_sums(dc + at.in(n));
}

// The sum of the last states of both directions; states that are not part of it are null.
PHRASEQ_KERNEL void lstm_last_states(const Element* h, const Element* h_reversed, const float* c,
                                     const float* c_reversed, Element* sum, LstmShape shape) {
  const RowPack at(shape.width);
  if (at.row >= shape.rows)
    return;
  const int64 place = at.in(shape.width);
  Columns columns = Columns::zeros();
  if (h != 0) {
    columns.add(Columns::of(h + place));
    columns.add(Columns::of(h_reversed + place));
  }
  if (c != 0) {
    columns.add(Columns::of_sums(c + place));
    columns.add(Columns::of_sums(c_reversed + place));
  }
  columns.write(sum + place);
}

__device__ inline void drop(Columns& columns, int place, int64 row, int column, const LstmShape& shape) {
  const uint32 first = (uint32)((place * shape.rows + row) * shape.width + column);
  for (int i = 0; i < PHRASEQ_PACK; ++i)
    columns.at[i] *= dropout_factor(shape.key, shape.threshold, shape.kept, first + (uint32)i);
}

// The rows at each place of all windows, each with its own dropout mask: [gram · rows, width]. blocks_y = gram.
PHRASEQ_KERNEL void lstm_gather_places(const Element* rows, const int64* positions, Element* places, LstmShape shape) {
  const RowPack at(shape.width);
  if (at.row >= shape.rows)
    return;
  const int place = (int)blockIdx.y, shift = shape.gram - 1 - place;
  Columns columns = Columns::zeros();
  if (positions[at.row / shape.streams] >= shift) {
    columns = Columns::of(rows + (at.row - (int64)shift * shape.streams) * shape.width + at.column);
    drop(columns, place, at.row, at.column, shape);
  }
  columns.write(places + (place * shape.rows + at.row) * shape.width + at.column);
}

// The sum of each row over its places: the adjoint of lstm_gather_places.
PHRASEQ_KERNEL void lstm_sum_places(const Element* places, const int64* positions, Element* rows, LstmShape shape) {
  const RowPack at(shape.width);
  if (at.row >= shape.rows)
    return;
  const int64 token = at.row / shape.streams;
  Columns sum = Columns::zeros();
  for (int place = 0; place < shape.gram; ++place) {
    const int shift = shape.gram - 1 - place;
    const int64 window = at.row + (int64)shift * shape.streams;
    if (window >= shape.rows || positions[token + shift] < shift)
      continue;
    Columns columns = Columns::of(places + (place * shape.rows + window) * shape.width + at.column);
    drop(columns, place, window, at.column, shape);
    sum.add(columns);
  }
  sum.write(rows + at.in(shape.width));
}
