#include "core/options/fairseq/hydra/hydra_command.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/options/argument_spelling.h"
#include "core/options/fairseq/flag_table.h"
#include "core/options/fairseq/hydra/hydra_settings.h"
#include "core/options/value_text.h"

namespace phraseq::fairseq {
namespace {

/// The groups of fairseq's configuration that training reads.
constexpr auto kGroups = std::to_array<std::string_view>({"common",
                                                          "distributed_training",
                                                          "dataset",
                                                          "optimization",
                                                          "checkpoint",
                                                          "ema",
                                                          "model",
                                                          "task",
                                                          "criterion",
                                                          "optimizer",
                                                          "lr_scheduler",
                                                          "bpe",
                                                          "tokenizer"});

bool is_group(std::string_view name) { return std::ranges::find(kGroups, name) != kGroups.end(); }

/// The other groups of a complete configuration: those of other commands and of Hydra.
constexpr auto kIgnored = std::to_array<std::string_view>({"common_eval",
                                                           "generation",
                                                           "eval_lm",
                                                           "interactive",
                                                           "bmuf",
                                                           "scoring",
                                                           "hydra",
                                                           "job_logging_cfg",
                                                           "_name"});

bool is_ignored(std::string_view name) {
  return std::ranges::find(kIgnored, name) != kIgnored.end();
}

/// Throws UsageError for a group that fairseq does not have; `place` is where it was found.
void require_group(std::string_view group, const std::string& place) {
  if (!is_group(group) && !is_ignored(group)) {
    throw UsageError(fmt::format("{}: '{}' is not a group of settings", place, group),
                     fmt::format("The groups of a training run are {}.", fmt::join(kGroups, ", ")));
  }
}

/// Marks a mandatory value that is not given here.
constexpr const char* kMissing = "???";

std::string flag_of(std::string setting) {
  std::ranges::replace(setting, '_', '-');
  return "--" + setting;
}

/// Converts all settings to flags of fairseq-train.
class FlagsOfSettings {
 public:
  explicit FlagsOfSettings(const HydraSettings& settings) : settings_(settings) {}

  std::vector<std::string> all() {
    for (const auto& [group, values] : settings_.groups().items()) {
      if (!is_ignored(group) && !values.is_null())
        add_group(group, values);
    }
    return std::move(flags_);
  }

 private:
  void add_group(const std::string& group, const nlohmann::json& values) {
    require_group(group, settings_.file());
    if (!values.is_object())
      throw UsageError(fmt::format("{}: '{}' has no settings", settings_.file(), group));
    if (group == "ema" && settings_.resolved(values.value("store_ema", nlohmann::json())) != true)
      return;  // the other settings of this group have no effect then
    for (const auto& [name, value] : values.items()) add_of_group(group, name, value);
  }

  void add_of_group(const std::string& group,
                    const std::string& name,
                    const nlohmann::json& value) {
    if (name == "_name") {
      add(group == "model" ? "arch" : group, value);
    } else if (group == "task" && name == "data") {
      const nlohmann::json folder = settings_.resolved(value);
      if (!folder.is_null() && folder != kMissing)
        flags_.insert(flags_.begin(), text_of(folder, name));
    } else {
      add(name, value);
    }
  }

  /// True for settings of fairseq's models that only matter in combination with settings that
  /// phraseq rejects, and for input and output widths that equal the decoder's width.
  bool has_no_effect(const std::string& name, const nlohmann::json& value) const {
    constexpr auto kOfOthers = std::to_array<std::string_view>({"adaptive_input_factor",
                                                                "adaptive_input_cutoff",
                                                                "character_filters",
                                                                "character_embedding_dim",
                                                                "char_embedder_highway_layers"});
    const bool is_width = name == "decoder_input_dim" || name == "decoder_output_dim";
    return std::ranges::find(kOfOthers, name) != kOfOthers.end() ||
           (name == "character_embeddings" && value == false) ||
           (is_width && value == decoder_width());
  }

  /// The decoder's width; null if it is the model's default.
  nlohmann::json decoder_width() const {
    const nlohmann::json model = settings_.groups().value("model", nlohmann::json());
    if (!model.is_object())
      return {};
    const nlohmann::json decoder = model.value("decoder", nlohmann::json());
    return decoder.is_object() ? decoder.value("embed_dim", nlohmann::json())
                               : model.value("decoder_embed_dim", nlohmann::json());
  }

  /// Adds a setting. Nested settings have combined names: `encoder: {layers: 6}` is
  /// --encoder-layers.
  void add(const std::string& name, const nlohmann::json& given) {
    const nlohmann::json value = settings_.resolved(given);
    if (has_no_effect(name, value))
      return;
    if (value.is_object()) {
      for (const auto& [inner, inner_value] : value.items()) add(name + "_" + inner, inner_value);
    } else if (const auto is_on = switch_in(flag_of(name), value)) {
      add_switch(flag_of(name), *is_on);
    } else if (!value.is_null() && value != kMissing) {
      add_value(flag_of(name), text_of(value, name));
    }
  }

  /// Adds a flag with a value. An empty value is omitted for flags that phraseq does not have,
  /// because it is their default.
  void add_value(const std::string& name, const std::string& value) {
    const Flag* const flag = find_flag('t', name);
    if (!value.empty() || flag == nullptr || flag->support == Support::kSame)
      flags_.push_back(fmt::format("{}={}", name, value));
  }

  /// The value of a switch: a truth value; for flags without a value, also YAML 1.1's `yes`, `no`,
  /// `on` and `off`.
  static std::optional<bool> switch_in(const std::string& name, const nlohmann::json& value) {
    if (value.is_boolean())
      return value.get<bool>();
    const Flag* const flag = find_flag('t', name);
    const bool is_switch = flag != nullptr && flag->values == Values::kNone;
    return is_switch && value.is_string() ? value_from_text<bool>(value.get<std::string>())
                                          : std::nullopt;
  }

  /// Adds a switch. `no` is added only for options of phraseq, because none of the flags that only
  /// fairseq has is on by default.
  void add_switch(const std::string& name, bool is_on) {
    const Flag* const flag = find_flag('t', name);
    if (is_on) {
      flags_.push_back(name);
    } else if (flag == nullptr || flag->support == Support::kSame) {
      flags_.push_back(name + "=no");
    }
  }

  std::string text_of(const nlohmann::json& value, const std::string& name) const {
    if (value.is_string())
      return value.get<std::string>();
    if (!value.is_array())
      return value.dump();
    std::vector<std::string> items;
    for (const nlohmann::json& item : value) {
      const nlohmann::json single = settings_.resolved(item);
      if (single.is_structured())
        throw UsageError(
            fmt::format("{}: '{}' is not a list of single values", settings_.file(), name));
      items.push_back(text_of(single, name));
    }
    return fmt::format("{}", fmt::join(items, ","));
  }

  const HydraSettings& settings_;
  std::vector<std::string> flags_;
};

/// Removes a flag from the arguments and returns its last value; empty if it is not given.
std::string take_value(std::vector<std::string>& arguments,
                       std::string_view name,
                       std::string_view short_name) {
  std::string value;
  for (auto argument = arguments.begin(); argument != arguments.end();) {
    const SplitFlag flag = split_flag(*argument);
    if (flag.name != (flag.one_dash ? short_name : name)) {
      ++argument;
      continue;
    }
    value = flag.value;
    argument = arguments.erase(argument);
    if (!flag.has_value && argument != arguments.end()) {
      value = *argument;
      argument = arguments.erase(argument);
    }
  }
  return value;
}

/// Removes Hydra's two options for the folder and returns their value.
std::string take_folder(std::vector<std::string>& arguments) {
  const std::string path = take_value(arguments, "config-path", "cp");
  const std::string folder = take_value(arguments, "config-dir", "cd");
  return folder.empty() ? path : folder;
}

/// Removes all arguments `group=name` and returns them.
std::map<std::string, std::string> take_choices(std::vector<std::string>& arguments) {
  std::map<std::string, std::string> choices;
  std::erase_if(arguments, [&](const std::string& argument) {
    const size_t begin = argument.starts_with('+') ? 1 : 0, equals = argument.find('=');
    if (equals == std::string::npos || !is_group(argument.substr(begin, equals - begin)))
      return false;
    choices[argument.substr(begin, equals - begin)] = argument.substr(equals + 1);
    return true;
  });
  return choices;
}

/// The group in group.name=value or ~group.name; empty for other arguments.
std::string group_in(const std::string& argument) {
  const size_t begin = argument.find_first_not_of("+~"), dot = argument.find('.');
  const bool is_setting = argument.starts_with('~') || argument.find('=') != std::string::npos;
  return is_setting && dot != std::string::npos && begin < dot ? argument.substr(begin, dot - begin)
                                                               : "";
}

bool is_of_group(const std::string& argument) { return is_group(group_in(argument)); }

/// Rejects Hydra's `-m KEY=a,b`, which starts a run for each value.
void reject_multirun(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    const SplitFlag flag = split_flag(argument);
    if (flag.name == (flag.one_dash ? "m" : "multirun"))
      throw UsageError(fmt::format("{}: multirun is not supported", argument),
                       "Run phraseq train once for each combination of values.");
  }
}

}  // namespace

void HydraOptions::describe(OptionTable& table) {
  table.section("Configuration of fairseq-hydra-train");
  table
      .field("config-name",
             config_name,
             "Read the settings of DIR/NAME.yaml; settings group.name=value on the command line "
             "replace them.")
      .short_flag("cn")
      .value_name("NAME")
      .harmless();
  table.field("config-dir", config_dir, "Folder of --config-name; default: the current folder.")
      .alias("config-path")
      .short_flag("cd")
      .short_flag("cp")
      .value_name("DIR")
      .harmless();
}

/// Both options have been removed from the command line unless the name was missing.
std::vector<std::string> HydraOptions::problems() const {
  if (config_dir.empty())
    return {};
  return {"--config-dir is the folder of a configuration: give --config-name"};
}

HydraCommand read_hydra_command(std::span<const std::string> arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string name = take_value(rest, "config-name", "cn");
  const auto choices = take_choices(rest);
  if (name.empty() && choices.empty() && std::ranges::none_of(rest, is_of_group))
    return {{arguments.begin(), arguments.end()}, ""};
  reject_multirun(rest);
  const std::string folder = take_folder(rest);
  HydraSettings settings(folder.empty() ? "." : folder, name, choices);
  std::erase_if(rest, [&](const std::string& argument) {
    const bool is_setting = settings.set(argument);
    if (is_setting)
      require_group(group_in(argument), argument);
    return is_setting;
  });
  HydraCommand command{FlagsOfSettings(settings).all(), settings.file()};
  command.arguments.insert(command.arguments.end(), rest.begin(), rest.end());
  return command;
}

}  // namespace phraseq::fairseq
