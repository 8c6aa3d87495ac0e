#pragma once

#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq::nn {

inline constexpr EnumName<Precision> kPrecisionNames[] = {{"fp32", Precision::kFp32},
                                                          {"bf16", Precision::kBf16},
                                                          {"fp16", Precision::kFp16},
                                                          {"fp64", Precision::kFp64}};

/// The precision of training; kAuto is the choice of automatic_precision.
enum class TrainingPrecision { kFp32, kBf16, kFp16, kAuto };

inline constexpr EnumName<TrainingPrecision> kTrainingPrecisionNames[] = {
    {"fp32", TrainingPrecision::kFp32},
    {"bf16", TrainingPrecision::kBf16},
    {"fp16", TrainingPrecision::kFp16},
    {"auto", TrainingPrecision::kAuto}};

/// --precision of commands that work with a trained model.
inline OptionField& describe_precision(OptionTable& table, Precision& precision) {
  return table.field(
      "precision", precision, kPrecisionNames, "Precision of matrix products and activations.");
}

}  // namespace phraseq::nn
