#include "core/options/option_help.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/options/value_text.h"

namespace phraseq {

bool takes_no_value(const OptionField& field) {
  return std::holds_alternative<bool*>(field.target);
}

std::string placeholder_of(const OptionField& field) {
  if (!field.metavariable.empty())
    return field.metavariable;
  if (!field.choices.empty())
    return fmt::format("{}", fmt::join(field.named_choices(), "|"));
  constexpr const char* kWords[] = {"", "N", "X", "TEXT", "N,...", "X,...", "TEXT...", ""};
  return kWords[field.target.index()];
}

bool has_range(const OptionField& field) {
  return !std::isinf(field.low) || !std::isinf(field.high);
}

std::string flags_text(const OptionField& field) {
  std::string text;
  for (const std::string& flag : field.short_flags) text += fmt::format("-{}, ", flag);
  text += fmt::format("{}--{}", field.is_positional ? "[" : "", field.name);
  if (field.is_positional)
    text += "]";
  if (takes_no_value(field))
    return text;
  return text + (field.bare.empty() ? fmt::format(" {}", placeholder_of(field))
                                    : fmt::format(" [{}]", placeholder_of(field)));
}

std::string details_text(const OptionField& field) {
  std::vector<std::string> parts;
  if (field.is_required) {
    parts.emplace_back("required");
  } else if (!field.default_text.empty()) {
    parts.push_back(fmt::format("default {}", field.default_text));
  }
  if (field.origin != OptionOrigin::kDefault && field.to_text() != field.default_text) {
    parts.push_back(fmt::format("{} {}", to_string(field.origin), field.to_text()));
  }
  if (has_range(field))
    parts.push_back(range_text(field.low, field.high));
  if (!field.number_word.empty())
    parts.push_back("or " + field.number_word);
  if (!field.choices.empty() && !field.metavariable.empty()) {
    parts.push_back(fmt::format("one of {}", fmt::join(field.named_choices(), ", ")));
  }
  if (!field.bare.empty())
    parts.push_back(fmt::format("without a value '{}'", field.bare));
  for (const std::string& other : field.aliases) parts.push_back(fmt::format("also --{}", other));
  return parts.empty() ? "" : fmt::format("({})", fmt::join(parts, "; "));
}

}  // namespace phraseq
