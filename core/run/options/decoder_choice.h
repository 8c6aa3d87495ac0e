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
  /// Before `describe`, because the decoder has options of its own: the one that the arguments
  /// name. Throws UsageError when --sampling and --decoder name two.
  const std::string& choose(std::span<const std::string> arguments);
};

}  // namespace phraseq
