// y = LN(residual + dropout(x)) and its gradients (Ba et al. 2016; fp32 statistics).
//
// A warp processes row after row, and holds a row in registers: PHRASEQ_PACKS packs of PHRASEQ_WIDTH neighboring
// columns in each lane. Compiler options define both, depending on the number of columns (core/cuda/norm_variant.h).

#define PHRASEQ_HELD (PHRASEQ_PACKS * PHRASEQ_WIDTH)

struct NormShape {
  int64 rows;
  int columns;
  float eps;
  uint64 key;        // key of the dropout, 0 = none
  uint32 threshold;  // p 2^32
  float kept;        // 1 / (1 - p)
};

// The first column of a pack of this lane.
__device__ inline int pack_column(int pack) {
  return (pack * PHRASEQ_WARP + (int)threadIdx.x % PHRASEQ_WARP) * PHRASEQ_WIDTH;
}

__device__ inline void read_parameter(const float* parameter, int columns, float* values) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) {
      const int column = pack_column(pack) + i;
      values[pack * PHRASEQ_WIDTH + i] = column < columns ? parameter[column] : 0.0f;
    }
  }
}

__device__ inline void read_row(const Element* row, int columns, float* values) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    Pack<PHRASEQ_WIDTH> in = {};
    if (pack_column(pack) < columns)
      in = load<PHRASEQ_WIDTH>(row + pack_column(pack));
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) values[pack * PHRASEQ_WIDTH + i] = wide(in.at[i]);
  }
}

__device__ inline void write_row(const float* values, int columns, Element* row) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    if (pack_column(pack) >= columns)
      continue;
    Pack<PHRASEQ_WIDTH> out;
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) out.at[i] = narrow(values[pack * PHRASEQ_WIDTH + i]);
    store<PHRASEQ_WIDTH>(row + pack_column(pack), out);
  }
}

// Computes the dropout factors of a row.
__device__ inline void read_factors(const NormShape& shape, int64 row, float* factors) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) {
      const int64 at = row * shape.columns + pack_column(pack) + i;
      factors[pack * PHRASEQ_WIDTH + i] = dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)at);
    }
  }
}

// Computes z = residual + dropout(x) of a row; residual may be null.
__device__ inline void read_sum(const Element* x, const Element* residual, const NormShape& shape, int64 row,
                                const float* factors, float* z) {
  read_row(x + row * shape.columns, shape.columns, z);
  for (int i = 0; i < PHRASEQ_HELD; ++i) z[i] *= factors[i];
  if (residual == 0)
    return;
  float rest[PHRASEQ_HELD];
  read_row(residual + row * shape.columns, shape.columns, rest);
  for (int i = 0; i < PHRASEQ_HELD; ++i) z[i] += rest[i];
}

__device__ inline float row_sum(const float* values) {
  float sum = 0.0f;
  for (int i = 0; i < PHRASEQ_HELD; ++i) sum += values[i];
  return warp_sum(sum);
}

// Turns z into z - center; 0 beyond the last column.
__device__ inline void subtract_center(float center, int columns, float* z) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    const bool is_inside = pack_column(pack) < columns;
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) {
      float& value = z[pack * PHRASEQ_WIDTH + i];
      value = is_inside ? value - center : 0.0f;
    }
  }
}

// residual may be null; mean and rstd [rows].
PHRASEQ_KERNEL void dropout_add_norm(const Element* x, const Element* residual, const float* gain, const float* bias,
                                     Element* y, float* mean, float* rstd, NormShape shape) {
  float gains[PHRASEQ_HELD], biases[PHRASEQ_HELD], z[PHRASEQ_HELD], other[PHRASEQ_HELD];
  read_parameter(gain, shape.columns, gains);
  read_parameter(bias, shape.columns, biases);
  for (int64 row = grid_warp(); row < shape.rows; row += grid_warps()) {
    read_factors(shape, row, other);
    read_sum(x, residual, shape, row, other, z);
    const float center = row_sum(z) / shape.columns;
    subtract_center(center, shape.columns, z);
    for (int i = 0; i < PHRASEQ_HELD; ++i) other[i] = z[i] * z[i];
    const float scale = 1.0f / sqrtf(row_sum(other) / shape.columns + shape.eps);
    for (int i = 0; i < PHRASEQ_HELD; ++i) z[i] = z[i] * scale * gains[i] + biases[i];
    write_row(z, shape.columns, y + row * shape.columns);
    if (threadIdx.x % PHRASEQ_WARP == 0) {
      mean[row] = center;
      rstd[row] = scale;
    }
  }
}

// Writes the sums of the gradients of gain or bias over the rows of a warp.
__device__ inline void write_sums(const float* sums, int columns, float* partial) {
  for (int pack = 0; pack < PHRASEQ_PACKS; ++pack) {
    for (int i = 0; i < PHRASEQ_WIDTH; ++i) {
      const int column = pack_column(pack) + i;
      if (column < columns)
        partial[column] = sums[pack * PHRASEQ_WIDTH + i];
    }
  }
}

// d_residual receives the gradient of the sum, dx that of x; without dropout, dx may be d_residual. partial [warps, 2,
// columns] receives the sums of the gradients of gain and bias over the rows of each warp. These are added in order
// afterwards, so that every run computes the same bits.
PHRASEQ_KERNEL void dropout_add_norm_backward(const Element* dy, const Element* x, const Element* residual,
                                              const float* gain, const float* mean, const float* rstd, Element* dx,
                                              Element* d_residual, float* partial, NormShape shape) {
  float gains[PHRASEQ_HELD], d_gain[PHRASEQ_HELD], d_bias[PHRASEQ_HELD];
  read_parameter(gain, shape.columns, gains);
  for (int i = 0; i < PHRASEQ_HELD; ++i) d_gain[i] = d_bias[i] = 0.0f;
  for (int64 row = grid_warp(); row < shape.rows; row += grid_warps()) {
    float factors[PHRASEQ_HELD], normed[PHRASEQ_HELD], up[PHRASEQ_HELD];
    read_factors(shape, row, factors);
    read_sum(x, residual, shape, row, factors, normed);
    subtract_center(mean[row], shape.columns, normed);
    read_row(dy + row * shape.columns, shape.columns, up);
    const float scale = rstd[row];
    float sum = 0.0f, product = 0.0f;
    for (int i = 0; i < PHRASEQ_HELD; ++i) {
      normed[i] *= scale;
      d_gain[i] += up[i] * normed[i];
      d_bias[i] += up[i];
      up[i] *= gains[i];
      sum += up[i];
      product += up[i] * normed[i];
    }
    sum = warp_sum(sum) / shape.columns;
    product = warp_sum(product) / shape.columns;
    for (int i = 0; i < PHRASEQ_HELD; ++i) up[i] = scale * (up[i] - sum - normed[i] * product);
    write_row(up, shape.columns, d_residual + row * shape.columns);
    if (shape.key == 0)
      continue;
    for (int i = 0; i < PHRASEQ_HELD; ++i) up[i] *= factors[i];
    write_row(up, shape.columns, dx + row * shape.columns);
  }
  float* const sums = partial + 2 * grid_warp() * shape.columns;
  write_sums(d_gain, shape.columns, sums);
  write_sums(d_bias, shape.columns, sums + shape.columns);
}
