// y = residual + dropout(x), whose gradient of x is dropout(dy) with the same key, and ReLU with dropout, whose gradient is
// in column_sums.cu.

struct DropoutShape {
  int64 elements;
  uint64 key;        // 0 = none
  uint32 threshold;  // p 2^32
  float kept;        // 1 / (1 - p)
};

template <int width>
__device__ inline void dropout_add_pack(const Element* x, const Element* residual, Element* y, int64 at,
                                        const DropoutShape& shape) {
  const Pack<width> in = load<width>(x + at), rest = load<width>(residual == 0 ? x + at : residual + at);
  Pack<width> out;
  for (int i = 0; i < width; ++i) {
    const float dropped = wide(in.at[i]) * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)(at + i));
    out.at[i] = narrow(residual == 0 ? dropped : wide(rest.at[i]) + dropped);
  }
  store<width>(y + at, out);
}

// One thread per PHRASEQ_PACK elements; residual may be null.
PHRASEQ_KERNEL void dropout_add(const Element* x, const Element* residual, Element* y, DropoutShape shape) {
  const int64 first = PHRASEQ_PACK * ((int64)blockIdx.x * blockDim.x + threadIdx.x), last = first + PHRASEQ_PACK;
  if (last <= shape.elements && is_aligned(x) && is_aligned(residual) && is_aligned(y))
    return dropout_add_pack<PHRASEQ_PACK>(x, residual, y, first, shape);
  for (int64 at = first; at < last && at < shape.elements; ++at) dropout_add_pack<1>(x, residual, y, at, shape);
}

template <int width>
__device__ inline void relu_dropout_pack(const Element* x, Element* y, int64 at, const DropoutShape& shape) {
  const Pack<width> in = load<width>(x + at);
  Pack<width> out;
  for (int i = 0; i < width; ++i) {
    const float value = wide(in.at[i]);
    // As in ATen, NaN stays NaN.
    const float positive = value < 0.0f ? 0.0f : value;
    out.at[i] = narrow(positive * dropout_factor(shape.key, shape.threshold, shape.kept, (uint32)(at + i)));
  }
  store<width>(y + at, out);
}

// y = dropout(max(x, 0)); y may be x. One thread per PHRASEQ_PACK elements.
PHRASEQ_KERNEL void relu_dropout(const Element* x, Element* y, DropoutShape shape) {
  const int64 first = PHRASEQ_PACK * ((int64)blockIdx.x * blockDim.x + threadIdx.x), last = first + PHRASEQ_PACK;
  if (last <= shape.elements && is_aligned(x) && is_aligned(y))
    return relu_dropout_pack<PHRASEQ_PACK>(x, y, first, shape);
  for (int64 at = first; at < last && at < shape.elements; ++at) relu_dropout_pack<1>(x, y, at, shape);
}
