// One pass of Adam over the flat buffers, and over the 16-bit copy that matrix products read
// (core/optim/optimizers/adam.h).

struct AdamStep {
  float beta1, one_minus_beta1, beta2, one_minus_beta2;
  float decay_factor;  // 1 - lr · weight decay
  float step_size;     // lr · √c2 / c1
  float eps;
};

// One thread per element; copy may be null (Element is then fp32). Nothing changes if *take_step is false (a
// gradient that is not finite). *scale multiplies the gradient as it is read.
PHRASEQ_KERNEL void adam(float* p,
                         const float* g,
                         float* m,
                         float* v,
                         Element* copy,
                         const bool* take_step,
                         const double* scale,
                         int64 elements,
                         AdamStep by) {
  const int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= elements || !*take_step)
    return;
  const float gradient = g[i] * (float)*scale;
  const float mean = by.beta1 * m[i] + by.one_minus_beta1 * gradient;
  const float square = by.beta2 * v[i] + by.one_minus_beta2 * gradient * gradient;
  const float value = by.decay_factor * p[i] - by.step_size * mean / (sqrtf(square) + by.eps);
  m[i] = mean;
  v[i] = square;
  p[i] = value;
  if (copy != 0)
    copy[i] = narrow(value);
}
