#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Throws a UsageError that lists the names of an enum's values.
[[noreturn]] PHRASEQ_API void refuse_enum_name(std::string_view name,
                                               const std::vector<std::string>& names);

/// The name of a value, as on the command line and in checkpoints; empty for a value without one.
template <class Enum, size_t kCount>
std::string_view enum_name(const EnumName<Enum> (&names)[kCount], Enum value) {
  for (const auto& entry : names) {
    if (entry.value == value)
      return entry.name;
  }
  return {};
}

/// The value of a name. Throws UsageError for a name that is not listed.
template <class Enum, size_t kCount>
Enum enum_value(const EnumName<Enum> (&names)[kCount], std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : names) {
    if (entry.name == name)
      return entry.value;
    known.emplace_back(entry.name);
  }
  refuse_enum_name(name, known);
}

}  // namespace phraseq
