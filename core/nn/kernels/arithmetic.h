#pragma once

#include <cmath>
#include <cstdint>

#include "core/nn/kernels/kernels.h"
#include "core/nn/kernels/random_bits.h"

/// Scalar arithmetic that the compiler turns into vector loops. Included only by the kernels'
/// sources.
namespace phraseq::nn::kernels {

PHRASEQ_INLINE int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/// Reads an element in the type of sums.
PHRASEQ_INLINE float load(float x) { return x; }
PHRASEQ_INLINE double load(double x) { return x; }
PHRASEQ_INLINE float load(Bfloat16 x) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(x.bits) << 16);
}

/// Writes a result. A bfloat16 is rounded to nearest, ties to even; NaN stays NaN.
PHRASEQ_INLINE void store(float* place, float x) { *place = x; }
PHRASEQ_INLINE void store(double* place, double x) { *place = x; }
PHRASEQ_INLINE void store(Bfloat16* place, float x) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, x);
  const uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  place->bits = static_cast<uint16_t>(x == x ? rounded : 0x7fc0U);
}

/// Computes e^x by Cody and Waite's reduction and a polynomial of degree 6 (Cephes' expf), within 2
/// ulp on [-87, 88]; 0 below, e^88 above (where `power` would be invalid); NaN stays NaN.
PHRASEQ_INLINE float exponential(float x) {
  constexpr float kRounder = 12582912.0F;  // 1.5 · 2^23: adding it rounds to an integer
  const float shifted = x * 1.44269504088896341F + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float y = 1.9875691500e-4F;
  y = y * r + 1.3981999507e-3F;
  y = y * r + 8.3334519073e-3F;
  y = y * r + 4.1665795894e-2F;
  y = y * r + 1.6666665459e-1F;
  y = y * r + 5.0000001201e-1F;
  y = y * r * r + r + 1.0F;
  const uint32_t exponent = (__builtin_bit_cast(uint32_t, shifted) + 127U) << 23;
  const float power = y * __builtin_bit_cast(float, exponent);
  const float bounded = x > 88.0F ? 1.6516363e38F : power;
  return x < -87.0F ? 0.0F : bounded;
}
PHRASEQ_INLINE double exponential(double x) { return std::exp(x); }

/// Computes 1 / (1 + e^-x).
template <typename S>
PHRASEQ_INLINE S sigmoid(S x) {
  return S{1} / (S{1} + exponential(-x));
}

/// Computes tanh(x) within 3 ulp: a polynomial near 0, otherwise from e^(2|x|) (Cephes' tanhf).
PHRASEQ_INLINE float hyperbolic_tangent(float x) {
  const float square = x * x;
  float y = -5.70498872745e-3F;
  y = y * square + 2.06390887954e-2F;
  y = y * square - 5.37397155531e-2F;
  y = y * square + 1.33314422036e-1F;
  y = y * square - 3.33332819422e-1F;
  const float near = y * square * x + x;
  const float magnitude = std::fabs(x);
  const float far = std::copysign(1.0F - 2.0F / (exponential(2.0F * magnitude) + 1.0F), x);
  return magnitude < 0.625F ? near : far;
}
PHRASEQ_INLINE double hyperbolic_tangent(double x) { return std::tanh(x); }

/// Computes erf(x) by Abramowitz and Stegun 7.1.26, with an absolute error below 2e-7.
PHRASEQ_INLINE float error_function(float x) {
  const float magnitude = std::fabs(x);
  const float t = 1.0F / (1.0F + 0.3275911F * magnitude);
  float y = 1.061405429F;
  y = y * t - 1.453152027F;
  y = y * t + 1.421413741F;
  y = y * t - 0.284496736F;
  y = y * t + 0.254829592F;
  return std::copysign(1.0F - y * t * exponential(-magnitude * magnitude), x);
}
PHRASEQ_INLINE double error_function(double x) { return std::erf(x); }

/// Returns the dropout factor m of an element (see Dropout): 0 or 1/(1-p).
template <typename S>
PHRASEQ_INLINE S dropout_factor(const Dropout& dropout, uint32_t element) {
  return random_bits(dropout.key, element) >= dropout.threshold ? static_cast<S>(dropout.scale)
                                                                : S{0};
}

}  // namespace phraseq::nn::kernels
