#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace phraseq {

/// The layout of fairseq's mmap index (docs/formats/indexed_dataset.md), little-endian and
/// unaligned: magic (9 bytes), u64 version, u8 type, u64 sentences, then i32 lengths and i64 byte
/// offsets.
inline constexpr std::string_view kIndexMagic{"MMIDIDX\0\0", 9};
inline constexpr uint64_t kIndexVersion = 1;
inline constexpr size_t kIndexHeaderBytes = 26;
inline constexpr size_t kIndexEntryBytes = 12;

/// Type codes of the ids in a `.bin` file. fairseq's 6 and 7 are floating-point types, which cannot
/// hold ids.
enum class IdType : uint8_t {
  kU8 = 1,
  kI8 = 2,
  kI16 = 3,
  kI32 = 4,
  kI64 = 5,
  kU16 = 8,
  kU32 = 9,
  kU64 = 10
};

/// The vocabulary size for numbers that are not ids of symbols. They are stored as u32, which is
/// enough for any line.
inline constexpr int64_t kNumberLimit = 0xFFFF'FFFE;

/// Calls `use` with a value of the C++ type of `type`; false for the code of a type that is
/// not an integer.
template <class Use>
bool with_id_type(IdType type, Use&& use) {
  switch (type) {
    case IdType::kU8:
      use(uint8_t{});
      return true;
    case IdType::kI8:
      use(int8_t{});
      return true;
    case IdType::kI16:
      use(int16_t{});
      return true;
    case IdType::kI32:
      use(int32_t{});
      return true;
    case IdType::kI64:
      use(int64_t{});
      return true;
    case IdType::kU16:
      use(uint16_t{});
      return true;
    case IdType::kU32:
      use(uint32_t{});
      return true;
    case IdType::kU64:
      use(uint64_t{});
      return true;
  }
  return false;
}

/// fairseq's choice for a vocabulary of that size (`best_fitting_int_dtype`).
inline IdType id_type_for(int64_t vocabulary) {
  if (vocabulary < 65'500)
    return IdType::kU16;
  return vocabulary < 4'294'967'295 ? IdType::kU32 : IdType::kI64;
}

}  // namespace phraseq
