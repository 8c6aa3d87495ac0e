// y = LN(residual + dropout(x)) and its gradients (Ba et al. 2016; fp32 statistics).

struct NormShape {
  int64 rows;
  int columns;
  float eps;
  uint64 key;        // of the dropout, 0 = none
  uint32 threshold;  // p 2^32
  float kept;        // 1 / (1 - p)
};

__device__ inline float norm_input(const Element* x, const Element* residual, const NormShape& shape, int64 row, int column) {
  const int64 at = row * shape.columns + column;
  const float dropped = wide(x[at]) * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at);
  return residual == 0 ? dropped : wide(residual[at]) + dropped;
}

// A warp for each row. residual may be null; mean and rstd [rows].
PHRASEQ_KERNEL void dropout_add_norm(const Element* x, const Element* residual, const float* gain, const float* bias,
                                            Element* y, float* mean, float* rstd, NormShape shape) {
  const int64 row = (int64)blockIdx.x * (blockDim.x / PHRASEQ_WARP) + threadIdx.x / PHRASEQ_WARP;
  const int lane = threadIdx.x % PHRASEQ_WARP;
  if (row >= shape.rows)
    return;
  float sum = 0.0f;
  for (int c = lane; c < shape.columns; c += PHRASEQ_WARP) sum += norm_input(x, residual, shape, row, c);
  const float center = warp_sum(sum) / shape.columns;
  float squares = 0.0f;
  for (int c = lane; c < shape.columns; c += PHRASEQ_WARP) {
    const float distance = norm_input(x, residual, shape, row, c) - center;
    squares += distance * distance;
  }
  const float scale = 1.0f / sqrtf(warp_sum(squares) / shape.columns + shape.eps);
  for (int c = lane; c < shape.columns; c += PHRASEQ_WARP) {
    const float normed = (norm_input(x, residual, shape, row, c) - center) * scale;
    y[row * shape.columns + c] = narrow(normed * gain[c] + bias[c]);
  }
  if (lane == 0) {
    mean[row] = center;
    rstd[row] = scale;
  }
}

// A warp for each row. d_residual receives the gradient of the sum, dx that of x; dx may be d_residual without dropout.
PHRASEQ_KERNEL void dropout_add_norm_backward(const Element* dy, const Element* x, const Element* residual,
                                                     const float* gain, const float* mean, const float* rstd, Element* dx,
                                                     Element* d_residual, NormShape shape) {
  const int64 row = (int64)blockIdx.x * (blockDim.x / PHRASEQ_WARP) + threadIdx.x / PHRASEQ_WARP;
  const int lane = threadIdx.x % PHRASEQ_WARP;
  if (row >= shape.rows)
    return;
  const float center = mean[row], scale = rstd[row];
  float sum = 0.0f, product = 0.0f;
  for (int c = lane; c < shape.columns; c += PHRASEQ_WARP) {
    const float up = wide(dy[row * shape.columns + c]) * gain[c];
    sum += up;
    product += up * (norm_input(x, residual, shape, row, c) - center) * scale;
  }
  sum = warp_sum(sum) / shape.columns;
  product = warp_sum(product) / shape.columns;
  for (int c = lane; c < shape.columns; c += PHRASEQ_WARP) {
    const int64 at = row * shape.columns + c;
    const float normed = (norm_input(x, residual, shape, row, c) - center) * scale;
    const float d = scale * (wide(dy[at]) * gain[c] - sum - normed * product);
    d_residual[at] = narrow(d);
    if (shape.key != 0)
      dx[at] = narrow(d * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at));
  }
}

// Sums over strips of rows, for d_gain and d_bias: block (i, s) computes columns i · blockDim.x … of strip s of
// `strip_rows` rows; partial [strips, 2, columns]. The strips are added in order afterwards: the same bits in every run.
PHRASEQ_KERNEL void norm_parameter_gradients(const Element* dy, const Element* x, const Element* residual,
                                                    const float* mean, const float* rstd, float* partial, int64 strip_rows,
                                                    NormShape shape) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= shape.columns)
    return;
  const int64 first = blockIdx.y * strip_rows;
  const int64 last = first + strip_rows < shape.rows ? first + strip_rows : shape.rows;
  float d_gain = 0.0f, d_bias = 0.0f;
  for (int64 row = first; row < last; ++row) {
    const float up = wide(dy[row * shape.columns + c]);
    d_bias += up;
    d_gain += up * (norm_input(x, residual, shape, row, c) - mean[row]) * rstd[row];
  }
  partial[(2 * (int64)blockIdx.y) * shape.columns + c] = d_gain;
  partial[(2 * (int64)blockIdx.y + 1) * shape.columns + c] = d_bias;
}
