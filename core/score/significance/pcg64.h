#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq::score {

/// ISO C++ has no 128-bit integer, but both supported compilers do.
__extension__ using Word128 = unsigned __int128;

/// NumPy's `default_rng(seed)`: PCG64 (XSL-RR 128/64; O'Neill 2014), with its state derived from
/// the seed by NumPy's SeedSequence. Draws the same numbers as NumPy, so resampling reproduces
/// sacrebleu's p-values.
class PHRASEQ_API Pcg64 {
 public:
  explicit Pcg64(uint64_t seed);

  uint64_t next();
  /// The next 32 bits: the low half of a 64-bit number, then its high half.
  uint32_t next_half();
  /// Uniform in [0, bound), as `Generator.integers` draws it for bounds up to 2^32 (Lemire 2019 on
  /// 32 bits); bound 1 draws nothing.
  uint32_t below(uint64_t bound);

  /// The 128-bit state and increment in decimal, for tests.
  std::string state() const;
  std::string increment() const;

 private:
  static constexpr Word128 kMultiplier =
      static_cast<Word128>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;

  void step();

  Word128 state_ = 0;
  Word128 increment_ = 0;
  bool has_half_ = false;
  uint32_t half_ = 0;
};

/// Draws like `Generator.integers(2, dtype=bool)`: the bits of 32-bit halves, lowest first.
class PHRASEQ_API RandomBits {
 public:
  explicit RandomBits(Pcg64& generator) : generator_(generator) {}
  /// The next bits, one per byte.
  void fill(std::span<uint8_t> bits);

 private:
  Pcg64& generator_;
  uint64_t word_ = 0;
  size_t left_ = 0;
};

// Called millions of times in a row, so it should be inlined.

inline void Pcg64::step() { state_ = state_ * kMultiplier + increment_; }

inline uint64_t Pcg64::next() {
  step();
  const auto folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

inline uint32_t Pcg64::next_half() {
  has_half_ = !has_half_;
  if (!has_half_)
    return half_;
  const uint64_t number = next();
  half_ = static_cast<uint32_t>(number >> 32);
  return static_cast<uint32_t>(number);
}

inline uint32_t Pcg64::below(uint64_t bound) {
  if (bound <= 1)
    return 0;
  if (bound > UINT32_MAX)
    return next_half();
  const auto limit = static_cast<uint32_t>(bound);
  uint64_t product = uint64_t{next_half()} * limit;
  if (static_cast<uint32_t>(product) < limit) {
    const uint32_t threshold = (0 - limit) % limit;
    while (static_cast<uint32_t>(product) < threshold) product = uint64_t{next_half()} * limit;
  }
  return static_cast<uint32_t>(product >> 32);
}

}  // namespace phraseq::score
