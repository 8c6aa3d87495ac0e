// y = residual + dropout(x); the gradient of x is dropout(dy) with the same key.

// A thread for each element; residual may be null.
PHRASEQ_KERNEL void dropout_add(const Element* x, const Element* residual, Element* y, int64 elements, uint64 key,
                                       uint32 threshold, float kept) {
  const int64 at = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= elements)
    return;
  const float dropped = wide(x[at]) * dropout_factor(key, threshold, kept, (uint32)at);
  y[at] = narrow(residual == 0 ? dropped : wide(residual[at]) + dropped);
}
