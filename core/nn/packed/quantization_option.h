#pragma once

#include "core/nn/packed/product_choice.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

/// The values of --quantization; kAuto: kInt8 for a checkpoint that is stored in 8 bits.
enum class QuantizationChoice { kAuto, kNone, kInt8, kBf16 };

inline constexpr EnumName<QuantizationChoice> kQuantizationChoiceNames[] = {
    {"auto", QuantizationChoice::kAuto},
    {"none", QuantizationChoice::kNone},
    {"int8", QuantizationChoice::kInt8},
    {"bf16", QuantizationChoice::kBf16}};

/// --quantization of commands that work with a trained model.
inline OptionField& describe_quantization(OptionTable& table, QuantizationChoice& quantization) {
  return table.field(
      "quantization",
      quantization,
      kQuantizationChoiceNames,
      "int8, bf16: compute products with weights in 8-bit or 16-bit numbers, which is faster "
      "(bf16: on processors with AMX or AVX512-BF16); only on the CPU, with --precision fp32. "
      "auto: int8 for 8-bit checkpoints made by phraseq quantize.");
}

}  // namespace phraseq::nn
