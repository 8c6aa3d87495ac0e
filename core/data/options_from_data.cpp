#include "core/data/options_from_data.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/named_task.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

void take_value(OptionTable& table, OptionField& field, const nlohmann::json& value) {
  const std::string given = field.to_text();
  const OptionOrigin origin = field.origin;
  from_json(table, nlohmann::json::object({{field.name, value}}), origin);
  if (origin == OptionOrigin::kDefault || given == "auto" || given == field.to_text())
    return;
  throw UsageError(
      fmt::format("--{} {} was given, but the data has {}", field.name, given, field.to_text()),
      "Do not use the option, or preprocess the data with it.");
}

}  // namespace

OptionsFromData::~OptionsFromData() = default;

nlohmann::json options_from_data(const Task& task) {
  const auto* const source = interface_of<OptionsFromData>(task);
  return source == nullptr ? nlohmann::json::object() : source->options_from_data();
}

void take_options_from_data(OptionTable& table, const Task& task) {
  const nlohmann::json values = options_from_data(task);
  for (const auto& [name, value] : values.items()) {
    if (OptionField* const field = table.find(name))
      take_value(table, *field, value);
  }
}

std::vector<std::string> names_from_data(const OptionTable& table, const Task& task) {
  const nlohmann::json values = options_from_data(task);
  std::vector<std::string> names;
  for (const OptionField& field : table.fields()) {
    if (field.origin == OptionOrigin::kDefault && values.contains(option_key(field.name)))
      names.push_back(field.name);
  }
  return names;
}

}  // namespace phraseq
