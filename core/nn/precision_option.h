#pragma once

#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

inline constexpr EnumName<Precision> kPrecisionNames[] = {
    {"fp32", Precision::kFp32}, {"bf16", Precision::kBf16}, {"fp64", Precision::kFp64}};

/// What training computes in.
inline constexpr EnumName<Precision> kTrainingPrecisionNames[] = {{"fp32", Precision::kFp32},
                                                                  {"bf16", Precision::kBf16}};

/// --precision, with the precisions that a command knows.
template <size_t kCount>
OptionField& describe_precision(OptionTable& table,
                                Precision& precision,
                                const EnumName<Precision> (&names)[kCount]) {
  return table.field(
      "precision", precision, names, "Precision of matrix products and activations.");
}

inline OptionField& describe_precision(OptionTable& table, Precision& precision) {
  return describe_precision(table, precision, kPrecisionNames);
}

}  // namespace phraseq::nn
