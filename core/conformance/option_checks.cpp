#include "core/conformance/option_checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/conformance/fixtures/changed_options.h"
#include "core/options/option_text.h"
#include "core/plugin/described_options.h"

namespace phraseq::conformance {
namespace {

bool is_spelt_well(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Findings names_of_options(const Component& component) {
  Findings findings;
  const DescribedOptions described(component);
  std::vector<std::string> seen;
  for (const OptionField& field : described.table.fields()) {
    if (!is_spelt_well(field.name)) {
      findings.push_back(fmt::format(
          "option '{}': names consist of lowercase letters, digits and '-', as on the command line",
          field.name));
    }
    if (field.help.empty())
      findings.push_back(fmt::format("--{}: has no help text", field.name));
    if (std::find(seen.begin(), seen.end(), field.name) != seen.end())
      findings.push_back(fmt::format("--{}: is described twice", field.name));
    seen.push_back(field.name);
  }
  return findings;
}

Findings records_of_options(const Component& component) {
  Findings findings;
  DescribedOptions changed(component);
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
