#pragma once

#include "core/options/option_table.h"
#include "core/score/tokenizers/ter_tokenizer.h"

namespace phraseq::ter {

/// All options are harmless: a resumed run may score its translations with other settings.
struct TerOptions final : Options {
  score::TerTokenizerSettings settings;

  void describe(OptionTable& table) override;
};

}  // namespace phraseq::ter
