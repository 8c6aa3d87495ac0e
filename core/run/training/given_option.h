#pragma once

#include "core/options/option_table.h"

namespace phraseq {

/// True unless the value is the default or that of a preset.
inline bool is_given(const OptionField& field) {
  return field.origin != OptionOrigin::kDefault && field.origin != OptionOrigin::kPreset;
}

}  // namespace phraseq
