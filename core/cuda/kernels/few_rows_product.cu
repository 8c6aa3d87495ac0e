// y = x Wᵀ + b for a few rows x, as in the search for one translation: W is read once, and a library's product would take
// longer to prepare than to compute. Sums are fp32.
//
// The option PHRASEQ_ROWS of the compiler is the most rows that x has.

struct FewRowsShape {
  int rows, inner, columns;  // inner: a multiple of a pack
  int64 stride;              // of x, in elements from row to row
  int relu;                  // max(y, 0)
};

// weight [columns, inner], bias [columns] or null, y [rows, columns]. The rows of x and weight begin at multiples of a pack.
// A warp for each column.
PHRASEQ_KERNEL void few_rows_product(const Element* x, const Element* weight, const Element* bias, Element* y,
                                     FewRowsShape shape) {
  const int64 column = grid_warp();
  if (column >= shape.columns)
    return;
  const int lane = warp_lane();
  float sums[PHRASEQ_ROWS] = {};
  for (int first = lane * PHRASEQ_PACK; first < shape.inner; first += PHRASEQ_WARP * PHRASEQ_PACK) {
    const Pack<PHRASEQ_PACK> weights = load<PHRASEQ_PACK>(weight + column * shape.inner + first);
    for (int row = 0; row < PHRASEQ_ROWS && row < shape.rows; ++row) {
      const Pack<PHRASEQ_PACK> own = load<PHRASEQ_PACK>(x + row * shape.stride + first);
      for (int i = 0; i < PHRASEQ_PACK; ++i) sums[row] += wide(own.at[i]) * wide(weights.at[i]);
    }
  }
  const float shift = bias == 0 ? 0.0f : wide(bias[column]);
  for (int row = 0; row < PHRASEQ_ROWS; ++row) {
    const float sum = warp_sum(sums[row]) + shift;
    if (lane == 0 && row < shape.rows)  // as ATen's ReLU: NaN stays NaN
      y[row * shape.columns + column] = narrow(shape.relu != 0 && sum < 0.0f ? 0.0f : sum);
  }
}
