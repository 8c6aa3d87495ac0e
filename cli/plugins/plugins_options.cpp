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
  table
      .field("set",
             set,
             "Component options for the check, in addition to their presets and the small sizes. "
             "Every component of the library that has the option gets the value.")
      .value_name("NAME=VALUE,...");
  table.field("data", data, "Data for a data loader or task that cannot read generated text.")
      .value_name("FOLDER");
  table.field("split", split, "Split of --data; default train.").value_name("NAME");
  table.field("source-lang", source_lang, "Source language of --data.").value_name("LANG");
  table.field("target-lang", target_lang, "Target language of --data.").value_name("LANG");
  table.field("model", model, "Model file for a tokenizer that needs one.").value_name("FILE");
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
  return {};
}

}  // namespace phraseq
