#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/options/option_table.h"

namespace phraseq {

/// How the matrices of a quantized checkpoint are stored. kInt8: whole numbers from -127 to 127 and
/// one F32 scale for each row; vectors stay F32. kFp16, kBf16: all parameters in that type.
enum class StoredType { kInt8, kFp16, kBf16 };

inline constexpr EnumName<StoredType> kStoredTypeNames[] = {
    {"int8", StoredType::kInt8}, {"fp16", StoredType::kFp16}, {"bf16", StoredType::kBf16}};

/// The metadata entry of a quantized checkpoint, JSON {"type": "int8"}.
inline constexpr const char* kQuantizationEntry = "quantization";

/// Bytes of all parameters before and after.
struct QuantizedSize {
  int64_t before = 0, after = 0;
};

/// Writes a copy of a checkpoint with its parameters in a different type. The state of training and
/// the self-test, which belongs to other values, are left out. Throws UsageError for a checkpoint
/// that is already quantized, and DivergenceError for values that are not finite or too large for
/// fp16.
PHRASEQ_API QuantizedSize quantize_checkpoint(const std::string& input,
                                              const std::string& output,
                                              StoredType type);

/// Whether the matrices are stored as 8-bit numbers.
PHRASEQ_API bool is_quantized_to_int8(const CheckpointFile& file);
/// Throws FormatError for a quantized checkpoint, which is too coarse for `purpose`.
PHRASEQ_API void reject_quantized(const CheckpointFile& file, std::string_view purpose);

}  // namespace phraseq
