#pragma once

#include <string>
#include <string_view>

#include "core/options/option_table.h"

namespace phraseq {

/// True if a flag is on, a number is not 0, or a text is not empty.
inline bool is_set(const OptionTable& table, std::string_view name) {
  const OptionField* field = table.find(name);
  const std::string text = field == nullptr ? "" : field->to_text();
  return !text.empty() && text != "no" && text != "0";
}

}  // namespace phraseq
