#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq::score {

/// ISO C++ has no 128-bit integer; both compilers that we support do.
__extension__ using Word128 = unsigned __int128;

/// NumPy's `default_rng(seed)`: PCG64 (XSL-RR 128/64; O'Neill 2014), its state spread from the seed
/// by NumPy's SeedSequence. Draws the same numbers as NumPy, so that resampling gives sacrebleu's
/// p-values.
class PHRASEQ_API Pcg64 {
 public:
  explicit Pcg64(uint64_t seed);

  uint64_t next();
  /// 32 bits: the low half of a 64-bit number, then its high half.
  uint32_t next_half();
  /// Uniform in [0, bound), as `Generator.integers` draws it for bounds up to 2^32 (Lemire 2019 on
  /// 32 bits); bound 1 draws nothing.
  uint32_t below(uint64_t bound);

  /// The 128-bit state and increment in decimal, for tests.
  std::string state() const;
  std::string increment() const;

 private:
  void step();

  Word128 state_ = 0;
  Word128 increment_ = 0;
  bool has_half_ = false;
  uint32_t half_ = 0;
};

/// `Generator.integers(2, dtype=bool)`: the bits of 32-bit halves, lowest first.
class PHRASEQ_API RandomBits {
 public:
  explicit RandomBits(Pcg64& generator) : generator_(generator) {}
  bool next();

 private:
  Pcg64& generator_;
  uint32_t bits_ = 0;
  int left_ = 0;
};

}  // namespace phraseq::score
