#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/score/metrics/bleu.h"

namespace phraseq::bleu {

/// A script whose scores a preset reproduces; it determines everything except the case.
enum class Script { kNone, kMultiBleu, kMtevalV11b };

/// All options are harmless: a resumed run may score its translations with other settings.
struct BleuOptions final : Options {
  score::Smoothing smoothing = score::Smoothing::kExp;
  double smooth_value = -1;
  std::string tokenize;
  std::string spm_model;
  bool lowercase = false;
  int64_t order = 4;
  bool effective_order = false;
  bool preserve_case = false;
  Script script = Script::kNone;  ///< set only by the presets

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  score::BleuSettings settings(const MetricSetup& setup) const;
};

}  // namespace phraseq::bleu
