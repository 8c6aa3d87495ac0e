#include "core/io/crc32c.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace phraseq {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // 0x1EDC6F41, bits reversed
constexpr size_t kSlices = 8;
using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

/// tables[k][b]: the remainder of byte b followed by k zero bytes ("slicing by 8").
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = remainder;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint64_t load_word(const std::byte* data) {
  uint64_t word = 0;
  std::memcpy(&word, data, sizeof word);
  return word;
}

#if defined(__x86_64__)

/// Bytes of one of the three parts that are summed side by side: the instruction takes three
/// cycles, and one can be started in each.
constexpr size_t kPart = 4096;
constexpr size_t kParts = 3;
using ByteTables = std::array<std::array<uint32_t, 256>, sizeof(uint32_t)>;

__attribute__((target("sse4.2"))) uint32_t followed_by_zeros(uint32_t remainder) {
  uint64_t result = remainder;
  for (size_t i = 0; i < kPart; i += sizeof(uint64_t)) result = _mm_crc32_u64(result, 0);
  return static_cast<uint32_t>(result);
}

/// tables[k][b]: what byte k of a remainder, with the value b, becomes when kPart zero bytes
/// follow. A remainder's bits can be followed singly and put together.
ByteTables make_skip_tables() {
  ByteTables tables{};
  for (size_t place = 0; place < tables.size(); ++place) {
    auto& table = tables[place];
    for (size_t bit = 0; bit < 8; ++bit) {
      const uint32_t followed = followed_by_zeros(uint32_t{1} << (8 * place + bit));
      for (size_t below = 0; below < size_t{1} << bit; ++below)
        table[(size_t{1} << bit) + below] = table[below] ^ followed;
    }
  }
  return tables;
}

uint32_t skip_part(const ByteTables& tables, uint64_t remainder) {
  return tables[0][remainder & 0xff] ^ tables[1][remainder >> 8 & 0xff] ^
         tables[2][remainder >> 16 & 0xff] ^ tables[3][remainder >> 24 & 0xff];
}

/// One cycle for eight bytes, where there are many.
__attribute__((target("sse4.2"))) uint32_t by_instruction(std::span<const std::byte> bytes,
                                                          uint32_t seed) {
  static const ByteTables tables = make_skip_tables();
  uint64_t remainder = ~seed;
  const std::byte* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= kParts * kPart; left -= kParts * kPart, data += kParts * kPart) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kPart; i += sizeof(uint64_t)) {
      remainder = _mm_crc32_u64(remainder, load_word(data + i));
      second = _mm_crc32_u64(second, load_word(data + kPart + i));
      third = _mm_crc32_u64(third, load_word(data + 2 * kPart + i));
    }
    remainder = skip_part(tables, remainder) ^ second;
    remainder = skip_part(tables, remainder) ^ third;
  }
  for (; left >= 8; left -= 8, data += 8) remainder = _mm_crc32_u64(remainder, load_word(data));
  auto low = static_cast<uint32_t>(remainder);
  for (; left > 0; --left, ++data) low = _mm_crc32_u8(low, std::to_integer<uint8_t>(*data));
  return ~low;
}

bool has_instruction() {
  static const bool answer = __builtin_cpu_supports("sse4.2") != 0;
  return answer;
}

#endif

}  // namespace

uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t seed) {
  uint32_t remainder = ~seed;
  const std::byte* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= kSlices; left -= kSlices, data += kSlices) {
    const uint64_t word = load_word(data) ^ remainder;
    remainder = 0;
    for (size_t i = 0; i < kSlices; ++i) {
      remainder ^= kTables[kSlices - 1 - i][(word >> (8 * i)) & 0xff];
    }
  }
  for (; left > 0; --left, ++data) {
    remainder =
        (remainder >> 8) ^ kTables[0][(remainder ^ std::to_integer<uint32_t>(*data)) & 0xff];
  }
  return ~remainder;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed) {
#if defined(__x86_64__)
  if (has_instruction())
    return by_instruction(bytes, seed);
#endif
  return crc32c_by_table(bytes, seed);
}

std::string crc32c_text(uint32_t sum) { return fmt::format("{:08x}", sum); }

}  // namespace phraseq
