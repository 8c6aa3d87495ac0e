#include "core/conformance/option_checks.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "core/options/option_text.h"

namespace phraseq::conformance {
namespace {

/// An options struct with its description.
struct Described {
  explicit Described(const Component& component) : options(component.make_options()) {
    options->describe(table);
  }
  std::unique_ptr<Options> options;
  OptionTable table;
};

/// Another legal value than the field has; nothing when there is none that can be guessed.
void change(OptionField& field) {
  if (!field.choices.empty()) {
    const auto other =
        std::find_if(field.choices.begin(), field.choices.end(), [&](const std::string& choice) {
          return choice != field.to_text();
        });
    if (other != field.choices.end())
      field.from_text(*other, field.origin);
    return;
  }
  if (auto** flag = std::get_if<bool*>(&field.target)) {
    **flag = !**flag;
  } else if (auto** whole = std::get_if<int64_t*>(&field.target)) {
    **whole += static_cast<double>(**whole) + 1 <= field.high ? 1 : -1;
  } else if (auto** real = std::get_if<double*>(&field.target)) {
    const double high = std::isinf(field.high) ? **real + 1 : field.high;
    **real = (**real + high) / 2 != **real ? (**real + high) / 2 : **real / 3;
  } else if (auto** text = std::get_if<std::string*>(&field.target)) {
    **text += "x";
  }
}

bool is_spelt_well(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Findings names_of_options(const Component& component) {
  Findings findings;
  const Described described(component);
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
  Described changed(component);
  for (OptionField& field : changed.table.fields()) change(field);
  const auto record = to_json(changed.table);

  Described restored(component);
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
