#include "core/options/fairseq/hydra/hydra_settings.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/utf8.h"
#include "core/io/yaml/yaml_reader.h"

namespace phraseq::fairseq {
namespace {

using Json = nlohmann::json;

/// Replaces values of `groups` by those of `more`, name by name.
void merge(Json& groups, const Json& more) {
  if (!groups.is_object() || !more.is_object()) {
    groups = more;
    return;
  }
  for (const auto& [name, value] : more.items()) merge(groups[name], value);
}

std::string settings_file(const std::string& folder, const std::string& name) {
  const bool has_ending = name.ends_with(".yaml") || name.ends_with(".yml");
  return (std::filesystem::path(folder) / (name + (has_ending ? "" : ".yaml"))).string();
}

Json parse_settings(std::string_view text, const std::string& file) {
  Json settings = parse_yaml(text, file);
  if (!settings.is_object())
    throw UsageError(fmt::format("{}: it has no settings of the form 'name: value'", file));
  return settings;
}

/// The package from a comment at the beginning of a file, such as "# @package _global_"; empty if
/// there is none.
std::string package_of(const std::string& text) {
  for (std::string_view line : split_text(without_byte_order_mark(text), "\n")) {
    line = trimmed(line);
    if (!line.empty() && line[0] != '#')
      break;
    line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
    const auto words = filled_parts(line, " ");
    if (words.size() == 2 && words[0] == "@package")
      return std::string(words[1]);
  }
  return "";
}

/// Reads the file of a group. Its settings belong to the group, unless its package is _global_ or,
/// without a package, the file itself contains the group. If there is no file, NAME is one of
/// fairseq's components with its defaults; fairseq has folders of these
/// (transformer_lm/transformer_lm_gpt).
Json read_group(const std::string& folder, const std::string& group, const std::string& name) {
  const std::string file = settings_file(folder + "/" + group, name);
  if (!std::filesystem::exists(file))
    return {{group, {{"_name", name.substr(name.rfind('/') + 1)}}}};
  const std::string text = read_file(file);
  Json settings = parse_settings(text, file);
  const std::string package = package_of(text);
  const bool has_group = package.empty() && settings.value(group, Json()).is_object();
  return package == "_global_" || has_group ? settings : Json{{group, std::move(settings)}};
}

/// The settings of one item of `defaults`: `group: name`, or the name of another file.
Json read_default(const Json& item, const std::string& folder, const std::string& file) {
  if (item.is_string()) {
    const std::string other = settings_file(folder, item.get<std::string>());
    return parse_settings(read_file(other), other);
  }
  Json settings = Json::object();
  for (const auto& [group, name] : item.items()) {
    if (name.is_null() || group.starts_with("hydra/"))
      continue;
    if (!name.is_string())
      throw UsageError(fmt::format("{}: defaults: {} is not 'group: name'", file, item.dump()));
    merge(settings, read_group(folder, group, name.get<std::string>()));
  }
  return settings;
}

/// Sets the default of a group, replacing an earlier one.
void choose(Json& defaults, const std::string& group, const Json& chosen) {
  const auto item = std::ranges::find_if(
      defaults, [&](const Json& one) { return one.is_object() && one.contains(group); });
  if (item != defaults.end())
    (*item)[group] = chosen;
  else
    defaults.push_back({{group, chosen}});
}

/// The group in "group", "/group" and, since Hydra 1.1, "override group".
std::string group_of(std::string_view key) {
  constexpr std::string_view kOverride = "override ";
  if (key.starts_with(kOverride))
    key.remove_prefix(kOverride.size());
  if (key.starts_with('/'))
    key.remove_prefix(1);
  return std::string(key);
}

/// `defaults` with one item for each group: the last one given.
Json without_replaced(const Json& given) {
  Json defaults = Json::array();
  for (const Json& item : given) {
    if (!item.is_object()) {
      defaults.push_back(item);
      continue;
    }
    for (const auto& [key, name] : item.items()) choose(defaults, group_of(key), name);
  }
  return defaults;
}

/// `criterion: cross_entropy` becomes `criterion: {_name: cross_entropy}`, so that further settings
/// of the component do not replace its name.
Json with_named_components(Json groups) {
  for (const char* kind :
       {"model", "task", "criterion", "optimizer", "lr_scheduler", "bpe", "tokenizer"}) {
    const auto found = groups.find(kind);
    if (found != groups.end() && found->is_string())
      *found = Json::object({{"_name", *found}});
  }
  return groups;
}

/// The value of a setting on the command line: a list, a dictionary, a quoted text, a truth value
/// or null as in YAML; any other text unchanged ("001" may be a folder).
Json value_of(std::string_view text, const std::string& place) {
  constexpr std::string_view kYaml = "[{'\"";
  const std::string small = to_ascii_lowercase(text);
  const bool is_word = small.empty() || small == "null" || small == "true" || small == "false";
  if (!is_word && kYaml.find(text[0]) == std::string_view::npos)
    return std::string(text);
  return parse_yaml(fmt::format("value: {}\n", is_word ? small : text), place)["value"];
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, fits);
}

}  // namespace

HydraSettings::HydraSettings(const std::string& folder,
                             const std::string& name,
                             const std::map<std::string, std::string>& choices)
    : file_(name.empty() ? "the command line" : settings_file(folder, name)),
      groups_(Json::object()) {
  const Json self = "_self_";
  Json own = name.empty() ? Json::object() : parse_settings(read_file(file_), file_);
  Json defaults = own.value("defaults", Json::array());
  own.erase("defaults");
  if (!defaults.is_array())
    throw UsageError(fmt::format("{}: 'defaults' is not a list", file_));
  defaults = without_replaced(defaults);
  if (std::ranges::find(defaults, self) == defaults.end())
    defaults.insert(defaults.begin(), self);
  for (const auto& [group, chosen] : choices) choose(defaults, group, chosen);
  for (const Json& item : defaults)
    merge(groups_, with_named_components(item == self ? own : read_default(item, folder, file_)));
}

bool HydraSettings::set(std::string_view argument) {
  const bool removes = argument.starts_with('~');
  argument.remove_prefix(
      std::min(argument.find_first_not_of(removes ? '~' : '+'), argument.size()));
  const size_t equals = argument.find('=');
  const std::string_view path = argument.substr(0, equals);
  auto parts = split_text(path, ".");
  if (parts.size() < 2 || !std::ranges::all_of(parts, is_name) ||
      (equals == std::string_view::npos && !removes))
    return false;
  const std::string last(parts.back());
  parts.pop_back();
  Json* place = &groups_;
  for (const std::string_view part : parts) {
    if (!place->is_object())
      *place = Json::object();
    place = &(*place)[std::string(part)];
  }
  if (!place->is_object())
    *place = Json::object();
  if (removes) {
    place->erase(last);
    return true;
  }
  merge((*place)[last], value_of(argument.substr(equals + 1), std::string(path)));
  return true;
}

Json HydraSettings::resolved(Json value) const {
  constexpr int kLongestChain = 10;
  for (int i = 0; i < kLongestChain; ++i) {
    if (!value.is_string() || value.get_ref<const std::string&>().find("${") == std::string::npos)
      return value;
    const std::string text = value.get<std::string>();
    value = referred(text);
    if (value.is_object())
      throw UsageError(fmt::format("{}: '{}' is a group of settings", file_, text));
  }
  throw UsageError(fmt::format("{}: '{}' refers to itself", file_, value.get<std::string>()));
}

Json HydraSettings::referred(const std::string& text) const {
  const bool is_whole = text.starts_with("${") && text.find('}') == text.size() - 1;
  const std::string path = is_whole ? text.substr(2, text.size() - 3) : "";
  const Json* place = &groups_;
  for (const std::string_view part : split_text(path, ".")) {
    const auto entry = place->find(part);
    if (entry == place->end()) {
      throw UsageError(fmt::format("{}: '{}' is not the name of another setting", file_, text),
                       "Write the value itself; only ${group.name} is supported.");
    }
    place = &*entry;
  }
  return *place;
}

}  // namespace phraseq::fairseq
