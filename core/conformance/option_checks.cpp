#include "core/conformance/option_checks.h"

#include <algorithm>
#include <map>
#include <string>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "core/conformance/fixtures/changed_options.h"
#include "core/options/argument_spelling.h"
#include "core/options/option_text.h"
#include "core/plugin/described_options.h"
#include "core/plugin/registry.h"

namespace phraseq::conformance {
namespace {

Findings names_of_options(const Component& component) {
  Findings findings;
  const DescribedOptions described(component);
  std::vector<std::string> seen;
  for (const OptionField& field : described.table.fields()) {
    if (!is_valid_name(field.name, "-")) {
      findings.push_back(
          fmt::format("option '{}': names consist of lowercase letters, digits and '-', and begin "
                      "with a letter",
                      field.name));
    }
    if (is_general_flag(field.name) || field.name == "config")
      findings.push_back(fmt::format("--{}: every command has an option of this name", field.name));
    if (field.help.empty())
      findings.push_back(fmt::format("--{}: has no help text", field.name));
    if (std::find(seen.begin(), seen.end(), field.name) != seen.end())
      findings.push_back(fmt::format("--{}: is described twice", field.name));
    seen.push_back(field.name);
  }
  return findings;
}

/// The field that an option describes; null for the values of an enum.
const void* field_of(const OptionField& option) {
  const auto address = [](const auto& target) -> const void* {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(target)>>)
      return target;
    else
      return nullptr;
  };
  return std::visit(address, option.target);
}

void check_fields(const OptionTable& table, Findings& findings) {
  std::map<const void*, std::string> names;
  for (const OptionField& option : table.fields()) {
    const void* const field = field_of(option);
    if (field == nullptr)
      continue;
    const auto [known, is_new] = names.try_emplace(field, option.name);
    if (!is_new)
      findings.push_back(
          fmt::format("--{} and --{} describe the same field", known->second, option.name));
  }
}

Findings records_of_options(const Component& component) {
  Findings findings;
  DescribedOptions changed(component);
  check_fields(changed.table, findings);
  change_all(changed.table);
  const auto record = to_json(changed.table);

  DescribedOptions restored(component);
  from_json(restored.table, record, OptionOrigin::kCheckpoint);
  const auto again = to_json(restored.table);
  for (const auto& [key, value] : record.items()) {
    if (again.at(key) != value) {
      findings.push_back(
          fmt::format("{}: was recorded as {} and restored as {}; does each option have its own "
                      "field, and does `describe` change no value?",
                      key,
                      value.dump(),
                      again.at(key).dump()));
    }
  }
  return findings;
}

}  // namespace

std::vector<Check> option_checks(const Component& component) {
  return {
      {"options have names and help texts", [&] { return names_of_options(component); }},
      {"options are restored from a checkpoint", [&] { return records_of_options(component); }}};
}

}  // namespace phraseq::conformance
