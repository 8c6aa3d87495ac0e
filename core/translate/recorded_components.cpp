#include "core/translate/recorded_components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/with_place.h"
#include "core/io/json_reader.h"
#include "core/options/option_text.h"

namespace phraseq {
namespace {

/// Parses the record of a component, with the checks that apply to all components of its kind.
nlohmann::json parse_component(const CheckpointFile& file, const char* key) {
  nlohmann::json record = file.metadata_json(key);
  const JsonEntry entry(record, file.metadata_place(key));
  entry.at("name").text();
  entry.at("options").object();
  for (const char* name : {"plugin", "plugin_version"}) {
    if (entry.has(name))
      entry.at(name).text();
  }
  return record;
}

Selection selection_from(const Registry& registry, const char* kind, const nlohmann::json& record) {
  const auto name = record.at("name").get<std::string>();
  try {
    Selection selection = registry.select(kind, name);
    OptionTable table = described(selection);
    from_json(table, record.at("options"), OptionOrigin::kCheckpoint);
    if (const auto problems = problems_of(selection); !problems.empty())
      throw FormatError(fmt::format("recorded options: {}", fmt::join(problems, "; ")));
    return selection;
  } catch (const UsageError& failure) {
    const std::string plugin = record.value("plugin", "?");
    throw PluginError(
        fmt::format(
            "the checkpoint needs the {} '{}' of the plugin '{}' {}, which is not installed",
            kind,
            name,
            plugin,
            record.value("plugin_version", "")),
        fmt::format("Install that plugin, or give its folder with --plugin-dir.\n  {}",
                    failure.what()));
  }
}

}  // namespace

nlohmann::json record_of(const Selection& selection) {
  const OptionTable table = described(selection);
  return {{"name", selection.component->name},
          {"plugin", selection.component->plugin},
          {"plugin_version", selection.component->plugin_version},
          {"options", to_json(table)}};
}

Selection recorded_component(const Registry& registry,
                             const CheckpointFile& file,
                             const char* kind) {
  const nlohmann::json record = parse_component(file, kind);
  return with_place(file.metadata_place(kind),
                    [&] { return selection_from(registry, kind, record); });
}

std::map<std::string, std::string> recorded_task_texts(const CheckpointFile& file) {
  std::map<std::string, std::string> texts;
  const nlohmann::json record = file.metadata_json("task_texts");
  for (const auto& [name, text] : JsonEntry(record, file.metadata_place("task_texts")).members())
    texts[name] = text.text();
  return texts;
}

}  // namespace phraseq
