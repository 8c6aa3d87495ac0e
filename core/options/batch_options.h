#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// How much a batch holds, under fairseq's names.
struct PHRASEQ_API BatchOptions {
  int64_t max_tokens = 0;
  int64_t batch_size = 0;

  void describe(OptionTable& table);
};

}  // namespace phraseq
