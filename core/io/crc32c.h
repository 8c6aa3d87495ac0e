#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// CRC-32C (Castagnoli, polynomial 0x1EDC6F41 reflected), as iSCSI, ext4 and leveldb use it. Pass
/// the result of a call as `seed` of the next to continue over several pieces. "123456789" gives
/// 0xE3069283. Uses the processor's instruction if there is one.
PHRASEQ_API uint32_t crc32c(std::span<const std::byte> bytes, uint32_t seed = 0);

/// The same by table look-up, for processors without the instruction.
PHRASEQ_API uint32_t crc32c_by_table(std::span<const std::byte> bytes, uint32_t seed = 0);

/// A sum as phraseq's files and messages show it: eight lowercase hexadecimal digits.
PHRASEQ_API std::string crc32c_text(uint32_t sum);

}  // namespace phraseq
