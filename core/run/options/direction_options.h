#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The direction of translation, for a model that has several.
struct PHRASEQ_API DirectionOptions : Options {
  std::string source_lang;
  std::string target_lang;

  void describe(OptionTable& table) override;
  /// Stores the direction in `load`. Throws UsageError if only one of its languages is given.
  void choose(LoadOptions& load) const;
};

}  // namespace phraseq
