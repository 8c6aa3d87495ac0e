#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace phraseq::nn {

/// e^x for x <= 0 in a form that compilers vectorize; at most 2 units in the last place off. Below
/// -87 it is 0.
///
/// e^x = 2^n e^r with n = round(x / ln 2), r in [-ln 2 / 2, ln 2 / 2] and e^r by the polynomial of
/// Cephes' expf (Moshier).
inline float exponential(float x) {
  constexpr float kLog2E = 1.44269504088896341f;
  constexpr float kLn2High = 0.693359375f;
  constexpr float kLn2Low = -2.12194440e-4f;
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
  const float clamped = x < -87.0f ? -87.0f : x;
  const float n = (clamped * kLog2E + kRound) - kRound;
  const float r = (clamped - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float fraction = p * r * r + r + 1.0f;
  const auto exponent = static_cast<int32_t>(n) + 127;
  const float power = std::bit_cast<float>(exponent << 23);
  return x < -87.0f ? 0.0f : fraction * power;
}

inline double exponential(double x) { return std::exp(x); }

}  // namespace phraseq::nn
