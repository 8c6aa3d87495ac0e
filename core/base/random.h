#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Mixes two numbers into a seed that shows no relation to either (splitmix64's finalizer over
/// `a + golden * (b + 1)`). `mix_seeds(seed, epoch)` and the like.
PHRASEQ_API uint64_t mix_seeds(uint64_t a, uint64_t b);

/// xoshiro256** 1.0 (Blackman & Vigna 2018), seeded by splitmix64.
///
/// phraseq has its own generator because `std::shuffle` and the `std::*_distribution`s differ
/// between standard libraries. The same seed gives the same numbers everywhere.
class PHRASEQ_API Random {
 public:
  explicit Random(uint64_t seed);

  uint64_t next();
  /// Uniform in [0, bound), without bias (Lemire 2019). `bound` > 0.
  uint64_t below(uint64_t bound);
  /// Uniform in [0, 1), 53 bits.
  double uniform();

 private:
  std::array<uint64_t, 4> words_;
};

/// Fisher-Yates from the back; a permutation of 0 .. size-1.
PHRASEQ_API std::vector<int64_t> random_permutation(int64_t size, Random& random);

}  // namespace phraseq
