#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace phraseq {

/// One value of an enum and its name on the command line, in configuration files and in
/// checkpoints.
template <class Enum>
struct EnumName {
  std::string_view name;
  Enum value;
};

/// The name of a value, as on the command line and in checkpoints; empty for a value without one.
template <class Enum, size_t kCount>
std::string_view enum_name(const EnumName<Enum> (&names)[kCount], Enum value) {
  for (const auto& entry : names) {
    if (entry.value == value)
      return entry.name;
  }
  return {};
}

/// The value of a name; nothing for a name that is not listed.
template <class Enum, size_t kCount>
std::optional<Enum> enum_value(const EnumName<Enum> (&names)[kCount], std::string_view name) {
  for (const auto& entry : names) {
    if (entry.name == name)
      return entry.value;
  }
  return std::nullopt;
}

}  // namespace phraseq
