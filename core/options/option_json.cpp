#include "core/options/option_json.h"

#include <array>

#include "core/options/option_help.h"

namespace phraseq {
namespace {

nlohmann::json flags_of(const OptionField& field) {
  nlohmann::json flags = nlohmann::json::array({"--" + field.name});
  for (const std::string& flag : field.short_flags) flags.push_back("-" + flag);
  for (const std::string& other : field.aliases) flags.push_back("--" + other);
  return flags;
}

nlohmann::json described(const OptionField& field) {
  constexpr std::array<const char*, 8> kTypes = {
      "boolean", "integer", "number", "text", "integer", "number", "text", "text"};
  const size_t type = field.target.index();
  return {{"name", field.name},
          {"flags", flags_of(field)},
          {"help", field.help},
          {"section", field.section},
          {"type", kTypes.at(type)},
          {"list", type >= 4 && type <= 6},
          {"value", takes_no_value(field) ? "" : placeholder_of(field)},
          {"choices", field.choices},
          {"default", field.default_text},
          {"positional", field.is_positional},
          {"required", field.is_required},
          {"bare", field.bare}};
}

}  // namespace

nlohmann::json option_json(const OptionTable& table,
                           std::string_view name,
                           std::string_view description) {
  nlohmann::json options = nlohmann::json::array();
  for (const OptionField& field : table.fields()) options.push_back(described(field));
  return {{"name", name}, {"description", description}, {"options", std::move(options)}};
}

}  // namespace phraseq
