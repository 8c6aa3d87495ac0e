// phraseq completion: scripts for the completion of shells, from the option tables of all commands.

#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/message_text.h"
#include "core/io/program_output.h"
#include "core/options/completion/bash_completion.h"
#include "core/options/completion/fish_completion.h"
#include "core/options/completion/zsh_completion.h"
#include "core/options/option_json.h"
#include "core/plugin/described_options.h"
#include "core/plugin/plugin_options.h"
#include "core/plugin/search_path_plugins.h"

namespace {

using namespace phraseq;

struct CompletionOptions final : Options {
  std::string shell;
  PluginOptions plugins;

  void describe(OptionTable& table) override {
    table.field("shell", shell, "Shell to write the script for: bash, zsh or fish.")
        .one_of({"bash", "zsh", "fish"})
        .value_name("SHELL")
        .positional()
        .required();
    plugins.describe(table);
  }
};

CompletionScope component_scope(const Component& component) {
  const DescribedOptions described(component);
  std::vector<std::string> names = {component.name};
  for (const Preset& preset : component.presets) names.push_back(preset.name);
  return completed_component(
      option_json(described.table, component.name, component.description), component.kind, names);
}

/// Adds the components of all plugins. A plugin that cannot be used only causes a warning, because
/// it must not prevent a shell from starting.
void add_components(CompletionModel& model, const CompletionOptions& options) {
  const SearchPathPlugins plugins(options.plugins.plugin_dir);
  for (const std::string& rejection : plugins.rejections) log_warning(rejection);
  for (const Component* component : plugins.registry.components())
    model.components.push_back(component_scope(*component));
}

void add_commands(CompletionModel& model) {
  const std::array<std::string, 1> arguments = {"--help-json"};
  for (const auto& program : command_programs()) {
    const ProgramOutput printed = program_output(program.string(), arguments);
    const auto described = nlohmann::json::parse(printed.output, nullptr, false);
    if (printed.exit_code == kExitOk && described.is_object())
      model.commands.push_back(completed_command(described, model));
    else
      log_warning(fmt::format("{} does not describe its options (exit code {}): {}",
                              program.string(),
                              printed.exit_code,
                              excerpt(printed.errors)));
  }
}

int completion(std::span<const std::string> arguments) {
  CompletionOptions options;
  if (!begin_command(options,
                     {"completion",
                      "bash|zsh|fish [--plugin-dir DIR,...]",
                      "Prints a completion script for a shell: commands, options and their values, "
                      "names of components, files."},
                     arguments))
    return kExitOk;
  CompletionModel model;
  add_components(model, options);
  add_commands(model);
  mark_names(model);
  if (options.shell == "bash")
    std::cout << bash_completion(model);
  else
    std::cout << (options.shell == "zsh" ? zsh_completion(model) : fish_completion(model));
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  return phraseq::run_command("completion", argc, argv, completion);
}
