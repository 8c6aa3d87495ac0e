#pragma once

#include <span>
#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// --decoder and --sampling. The fields belong to the section that is being described.
struct PHRASEQ_API DecoderChoice : Options {
  std::string decoder = "beam";
  bool sampling = false;

  void describe(OptionTable& table) override;
  /// Returns the decoder that the arguments name. Call it before `describe`, because the decoder
  /// has its own options. Throws UsageError if --sampling and --decoder name different ones.
  const std::string& choose(std::span<const std::string> arguments);
};

}  // namespace phraseq
