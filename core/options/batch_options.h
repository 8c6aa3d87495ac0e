#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// How much a batch holds, under fairseq's names.
struct PHRASEQ_API BatchOptions {
  /// Stands for "auto": the largest batch that there is memory for.
  static constexpr int64_t kAutomatic = -1;

  int64_t max_tokens = 0;
  int64_t batch_size = 0;

  void describe(OptionTable& table);
  /// For training: both options also take "auto".
  void describe_with_auto(OptionTable& table);
};

}  // namespace phraseq
