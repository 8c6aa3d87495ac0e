#pragma once

#include <cstdint>

#include "core/score/metrics/chrf.h"

namespace phraseq::chrf {

/// All options are harmless: a resumed run may score its translations with other settings.
struct ChrfOptions final : Options {
  int64_t char_order = 6;
  int64_t word_order = 0;
  int64_t beta = 2;
  bool whitespace = false;
  bool lowercase = false;
  bool eps_smoothing = false;

  void describe(OptionTable& table) override;
  score::ChrfSettings settings() const;
};

}  // namespace phraseq::chrf
