#include "core/plugin/component_text.h"

#include <fmt/format.h>

#include "core/options/option_text.h"
#include "core/plugin/described_options.h"

namespace phraseq {
namespace {

/// A component's options, with `preset` applied if it is given.
struct Described {
  explicit Described(const Component& component, const Preset* preset = nullptr)
      : options(component.make_options()) {
    table.section("Options");
    describe_options(component, *options, table);
    if (preset != nullptr)
      preset->apply(*options);
  }

  std::unique_ptr<Options> options;
  OptionTable table;
};

/// The values of a preset that differ from the defaults: "encoder-layers 12, dropout 0.3".
std::string preset_values(const Component& component, const Preset& preset) {
  const Described changed(component, &preset);
  std::vector<std::string> values;
  for (const OptionField& field : changed.table.fields()) {
    if (field.to_text() == field.default_text)
      continue;
    values.push_back(fmt::format("{} {}", field.name, field.to_text()));
  }
  return values.empty() ? "the defaults" : fmt::format("{}", fmt::join(values, ", "));
}

std::string value_line(const OptionField& field, bool with_default) {
  const auto shown = [](const std::string& text) { return text.empty() ? "''" : text; };
  return fmt::format("  --{} {}{}\n",
                     field.name,
                     shown(field.to_text()),
                     with_default ? fmt::format("  (default {})", shown(field.default_text)) : "");
}

/// The lines of the options that differ from their defaults, or, if `changed` is false, of those
/// that do not.
std::string value_lines(const OptionTable& table, bool changed) {
  std::string lines;
  for (const OptionField& field : table.fields()) {
    if ((field.to_text() != field.default_text) == changed)
      lines += value_line(field, changed);
  }
  return lines;
}

std::string source_line(const Component& component) {
  return fmt::format(
      "  plugin {} {}, {}\n", component.plugin, component.plugin_version, component.file);
}

void check_values(Described& component,
                  const std::string& whose,
                  std::vector<std::string>& problems) {
  for (OptionField& field : component.table.fields()) {
    if (field.is_required)
      continue;
    try {
      field.from_text(field.to_text(), field.origin);
    } catch (const Error& failure) {
      problems.push_back(fmt::format("{}: {}", whose, failure.message()));
    }
  }
  for (const std::string& problem : component.options->problems()) {
    problems.push_back(fmt::format("{}: {}", whose, problem));
  }
}

}  // namespace

std::string component_text(const Component& component) {
  std::string text =
      fmt::format("{} {}\n  {}\n", component.kind, component.name, component.description);
  text += source_line(component);
  text += options_text(Described(component).table);
  if (!component.presets.empty())
    text += "\nPresets:\n";
  for (const Preset& preset : component.presets) {
    text += fmt::format("  {}\n      {}\n      {}\n",
                        preset.name,
                        preset.description,
                        preset_values(component, preset));
  }
  return text;
}

std::string preset_text(const Component& component, const Preset& preset) {
  const Described described(component, &preset);
  std::string text = fmt::format("preset {} of {} {}\n  {}\n",
                                 preset.name,
                                 component.kind,
                                 component.name,
                                 preset.description);
  text += source_line(component);
  const std::string changed = value_lines(described.table, /*changed=*/true);
  const std::string kept = value_lines(described.table, /*changed=*/false);
  text += "\nChanged:\n" + (changed.empty() ? "  nothing\n" : changed);
  return kept.empty() ? text : text + "\nAs by default:\n" + kept;
}

std::string component_markdown(const Component& component) {
  const std::string title = fmt::format("{} `{}`", component.kind, component.name);
  const std::string from =
      fmt::format("{}\n\nPlugin `{}`.", component.description, component.plugin);
  std::string text = markdown_text(Described(component).table, title, from);
  if (component.presets.empty())
    return text;
  text += "\n## Presets\n\n| name | meaning | values |\n| --- | --- | --- |\n";
  for (const Preset& preset : component.presets) {
    text += fmt::format(
        "| `{}` | {} | {} |\n", preset.name, preset.description, preset_values(component, preset));
  }
  return text;
}

std::vector<std::string> component_problems(const Component& component) {
  std::vector<std::string> problems;
  Described plain(component);
  check_values(plain, component.name, problems);
  for (const Preset& preset : component.presets) {
    Described changed(component, &preset);
    check_values(changed, fmt::format("preset {}", preset.name), problems);
  }
  return problems;
}

}  // namespace phraseq
