#include "core/score/significance/pcg64.h"

#include <algorithm>
#include <array>

namespace phraseq::score {
namespace {

/// NumPy's SeedSequence with a pool of four words (after O'Neill's seed_seq_fe).
class SeedSequence {
 public:
  explicit SeedSequence(uint64_t seed) {
    const std::array<uint32_t, 2> entropy = {static_cast<uint32_t>(seed),
                                             static_cast<uint32_t>(seed >> 32)};
    for (size_t at = 0; at < pool_.size(); ++at) {
      pool_[at] = hash(at < entropy.size() ? entropy[at] : 0);
    }
    for (size_t from = 0; from < pool_.size(); ++from) {
      for (size_t to = 0; to < pool_.size(); ++to) {
        if (from != to)
          pool_[to] = mix(pool_[to], hash(pool_[from]));
      }
    }
  }

  std::array<uint64_t, 4> generate() const {
    std::array<uint32_t, 8> words{};
    uint32_t constant = 0x8B51F9DD;
    for (size_t at = 0; at < words.size(); ++at) {
      uint32_t value = pool_[at % pool_.size()] ^ constant;
      constant *= 0x58F38DED;
      value *= constant;
      words[at] = value ^ value >> 16;
    }
    std::array<uint64_t, 4> result{};
    for (size_t at = 0; at < result.size(); ++at) {
      result[at] = words[2 * at] | uint64_t{words[2 * at + 1]} << 32;
    }
    return result;
  }

 private:
  uint32_t hash(uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931E8875;
    value *= constant_;
    return value ^ value >> 16;
  }

  static uint32_t mix(uint32_t first, uint32_t second) {
    const uint32_t result = 0xCA01F9DD * first - 0x4973F715 * second;
    return result ^ result >> 16;
  }

  std::array<uint32_t, 4> pool_{};
  uint32_t constant_ = 0x43B0D7E5;
};

std::string to_decimal(Word128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace

Pcg64::Pcg64(uint64_t seed) {
  const auto words = SeedSequence(seed).generate();
  const Word128 initial = static_cast<Word128>(words[0]) << 64 | words[1];
  const Word128 sequence = static_cast<Word128>(words[2]) << 64 | words[3];
  increment_ = sequence << 1 | 1;
  step();
  state_ += initial;
  step();
}

std::string Pcg64::state() const { return to_decimal(state_); }
std::string Pcg64::increment() const { return to_decimal(increment_); }

void RandomBits::fill(std::span<uint8_t> bits) {
  while (!bits.empty()) {
    if (left_ == 0) {
      word_ = generator_.next_half();
      left_ = 32;
    }
    const size_t count = std::min(left_, bits.size());
    for (size_t at = 0; at < count; ++at) bits[at] = static_cast<uint8_t>(word_ >> at & 1);
    word_ >>= count;
    left_ -= count;
    bits = bits.subspan(count);
  }
}

}  // namespace phraseq::score
