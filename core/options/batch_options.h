#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The maximum size of a batch. The options have the same names as in fairseq.
struct PHRASEQ_API BatchOptions {
  /// The value of "auto": the largest batch that fits into memory.
  static constexpr int64_t kAutomatic = -1;

  int64_t max_tokens = 0;  ///< 0 = no limit
  int64_t batch_size = 0;  ///< sentences; 0 = no limit

  void describe(OptionTable& table);
  /// Describes the options with a different help text for --max-tokens.
  void describe(OptionTable& table, std::string_view max_tokens_help);
  /// Describes the options for training, which also accept "auto".
  void describe_with_auto(OptionTable& table);
};

}  // namespace phraseq
