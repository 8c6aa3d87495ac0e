// y = x Wᵀ + b for a few rows x, as when a single sentence is translated: W is read once, whereas a library would take
// longer to prepare the product than to compute it. Sums are fp32.
//
// The compiler option PHRASEQ_ROWS is the maximum number of rows of x.

struct FewRowsShape {
  int rows, inner, columns;  // inner: a multiple of a pack
  int64 stride;              // of x, in elements between rows
  int relu;                  // max(y, 0)
};

// weight [columns, inner], bias [columns] or null, y [rows, columns]. The rows of x and weight begin at multiples of a
// pack. One warp per column.
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
    if (lane == 0 && row < shape.rows)  // NaN stays NaN, as in ATen's ReLU
      y[row * shape.columns + column] = narrow(shape.relu != 0 && sum < 0.0f ? 0.0f : sum);
  }
}
