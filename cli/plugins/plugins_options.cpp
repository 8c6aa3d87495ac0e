#include "cli/plugins/plugins_options.h"

#include <fmt/format.h>

namespace phraseq {

void PluginsOptions::describe(OptionTable& table) {
  table
      .field(
          "action", action, "Action: list, explain NAME (also: info NAME), check FILE or options.")
      .one_of({"list", "explain", "info", "check", "options"})
      .value_name("ACTION")
      .positional()
      .required();
  table
      .field("subject",
             subject,
             "Name of a component or preset (explain), or file or name of a plugin (check).")
      .value_name("SUBJECT")
      .positional();
  table.field("kind", kind, "Only components of this kind: architecture, lr_scheduler, task …")
      .value_name("KIND");
  table.field("presets", presets, "Also list the presets, one per line.");
  table.field("output", output, "Folder for the pages that 'options' writes.").value_name("FOLDER");
  plugins.describe(table);
  table.section("check");
  trial.describe(table);
}

std::vector<std::string> PluginsOptions::problems() const {
  if (explains() && subject.empty())
    return {action + ": the name of a component is missing"};
  if (action == "check" && subject.empty())
    return {"check: the file of a plugin is missing"};
  if ((action == "list" || action == "options") && !subject.empty()) {
    return {
        fmt::format("{}: unexpected '{}'; 'phraseq plugins explain NAME' describes one component",
                    action,
                    subject)};
  }
  std::vector<std::string> found;
  const auto reject = [&](const char* option, bool is_given) {
    if (is_given)
      found.push_back(fmt::format("{} does not use {}", action, option));
  };
  reject("--output", output != PluginsOptions().output && action != "options");
  reject("--presets", presets && action != "list");
  reject("--kind", !kind.empty() && action == "options");
  return found;
}

}  // namespace phraseq
