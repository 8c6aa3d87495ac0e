// phraseq plugins: list, explain and check plugins; write the pages of docs/options.

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/close_matches.h"
#include "core/io/atomic_file.h"
#include "core/io/program_output.h"
#include "core/io/staging_folder.h"
#include "core/options/command_line.h"
#include "core/plugin/component_text.h"
#include "core/plugin/loader.h"

namespace {

namespace fs = std::filesystem;
using namespace phraseq;

constexpr unsigned kCheckSeconds = 600;

struct PluginsOptions final : Options {
  std::string action;
  std::string subject;
  std::string kind;
  bool presets = false;
  std::string output = "docs/options";
  std::vector<std::string> plugin_dir;
  std::vector<std::string> set;
  std::string data, split, source_lang, target_lang, model;

  void describe(OptionTable& table) override {
    table
        .field("action",
               action,
               "Action: list, explain NAME (also: info NAME), check FILE or options.")
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
    table.field("output", output, "Folder for the pages that 'options' writes.")
        .value_name("FOLDER");
    table.field("plugin-dir", plugin_dir, "Folders to search for plugins before all others.")
        .value_name("FOLDER");
    table.section("check");
    table.field("set", set, "Component options for the check, in addition to their presets.")
        .value_name("NAME=VALUE,...");
    table.field("data", data, "Data for a data loader or task that cannot read generated text.")
        .value_name("FOLDER");
    table.field("split", split, "Split of --data; default train.").value_name("NAME");
    table.field("source-lang", source_lang, "Source language of --data.").value_name("LANG");
    table.field("target-lang", target_lang, "Target language of --data.").value_name("LANG");
    table.field("model", model, "Model file for a tokenizer that needs one.").value_name("FILE");
  }

  /// The arguments for `phraseq conformance`.
  std::vector<std::string> check_arguments() const {
    std::vector<std::string> arguments = {subject};
    const auto add = [&](const char* flag, const std::string& value) {
      if (!value.empty())
        arguments.insert(arguments.end(), {flag, value});
    };
    add("--kind", option_key(kind));
    OptionTable table;
    std::vector<std::string> values = set;
    add("--set", table.field("set", values, "").to_text());  // commas within a value escaped
    add("--data", data);
    add("--split", split);
    add("--source-lang", source_lang);
    add("--target-lang", target_lang);
    add("--model", model);
    return arguments;
  }

  bool explains() const { return action == "explain" || action == "info"; }

  std::vector<std::string> problems() const override {
    if (explains() && subject.empty())
      return {action + ": the name of a component is missing"};
    if (action == "check" && subject.empty())
      return {"check: the file of a plugin is missing"};
    return {};
  }
};

/// Loads what loads; a rejected plugin does not hide the others. Returns the rejections.
std::vector<std::string> load_all(Registry& registry, const PluginsOptions& options) {
  std::vector<std::string> refusals;
  for (const std::string& file : find_plugin_files(plugin_search_path(options.plugin_dir))) {
    try {
      load_plugin_file(registry, file);
    } catch (const Error& failure) {
      refusals.emplace_back(failure.what());
    }
  }
  return refusals;
}

int report(const std::vector<std::string>& refusals) {
  std::cout.flush();
  for (const std::string& refusal : refusals) fmt::print(stderr, "rejected: {}\n", refusal);
  return refusals.empty() ? kExitOk : kExitPlugin;
}

/// Refuses a --kind that nothing here is of; '-' and '_' in it are the same.
void check_kind(const Registry& registry, PluginsOptions& options) {
  std::replace(options.kind.begin(), options.kind.end(), '-', '_');
  std::vector<std::string> kinds;
  for (const Component* component : registry.components()) {
    if (kinds.empty() || kinds.back() != component->kind)
      kinds.push_back(component->kind);
  }
  if (options.kind.empty() || std::find(kinds.begin(), kinds.end(), options.kind) != kinds.end())
    return;
  const std::string guess = did_you_mean(options.kind, kinds);
  throw UsageError(fmt::format("--kind: '{}' is not one of {}{}{}",
                               options.kind,
                               fmt::join(kinds, ", "),
                               guess.empty() ? "" : "; ",
                               guess));
}

/// What `list` prints in one line.
struct ListedName {
  std::string kind, name, description;
};

std::string presets_text(const Component& component) {
  const size_t count = component.presets.size();
  return count == 0 ? "" : fmt::format(" ({} preset{})", count, count == 1 ? "" : "s");
}

std::vector<ListedName> listed_names(const Registry& registry, const PluginsOptions& options) {
  std::vector<ListedName> names;
  for (const Component* component : registry.components()) {
    if (!options.kind.empty() && component->kind != options.kind)
      continue;
    names.push_back(
        {component->kind, component->name, component->description + presets_text(*component)});
    if (!options.presets)
      continue;
    for (const Preset& preset : component->presets) {
      names.push_back({component->kind,
                       preset.name,
                       fmt::format("{} (preset of {})", preset.description, component->name)});
    }
  }
  return names;
}

int list(PluginsOptions& options) {
  Registry registry;
  const auto refusals = load_all(registry, options);
  check_kind(registry, options);
  const auto names = listed_names(registry, options);
  size_t kind_width = 0, name_width = 0;
  for (const ListedName& listed : names) {
    kind_width = std::max(kind_width, listed.kind.size());
    name_width = std::max(name_width, listed.name.size());
  }
  for (const ListedName& listed : names) {
    fmt::print("{:<{}}  {:<{}}  {}\n",
               listed.kind,
               kind_width,
               listed.name,
               name_width,
               listed.description);
  }
  return report(refusals);
}

/// What `explain` prints about a name that is this component's or one of its presets'; else
/// nothing.
std::string text_about(const Component& component, const std::string& name) {
  if (component.name == name)
    return component_text(component);
  for (const Preset& preset : component.presets) {
    if (preset.name == name)
      return preset_text(component, preset);
  }
  return {};
}

int explain(PluginsOptions& options) {
  Registry registry;
  const auto refusals = load_all(registry, options);
  check_kind(registry, options);
  std::replace(options.subject.begin(), options.subject.end(), '-', '_');
  std::vector<std::string> known;
  bool is_found = false;
  for (const Component* component : registry.components()) {
    if (!options.kind.empty() && component->kind != options.kind)
      continue;
    known.push_back(component->name);
    for (const Preset& preset : component->presets) known.push_back(preset.name);
    const std::string text = text_about(*component, options.subject);
    if (text.empty())
      continue;
    fmt::print("{}{}", is_found ? "\n" : "", text);
    is_found = true;
  }
  if (!is_found) {
    const std::string guess = did_you_mean(options.subject, known);
    report(refusals);
    throw UsageError(fmt::format("no component or preset is called '{}'{}{}",
                                 options.subject,
                                 guess.empty() ? "" : "; ",
                                 guess),
                     fmt::format("Nearest names: {}. 'phraseq plugins list --presets' lists all.",
                                 fmt::join(nearest_names(options.subject, known), ", ")));
  }
  return report(refusals);
}

/// Goes on as `phraseq conformance`, which is linked with LibTorch: this program is not.
[[noreturn]] void become_conformance(const PluginsOptions& options) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "phraseq-conformance";
  const std::vector<std::string> arguments = options.check_arguments();
  std::vector<const char*> argv = {program.c_str()};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(program.c_str(), const_cast<char* const*>(argv.data()));
  throw IoError(program.string(), "run", errno);
}

/// Throws PluginError when another plugin of the search path has a name of this one: no command
/// could use both. An installed copy of the same plugin does not count.
void check_names(const PluginsOptions& options) {
  Registry registry;
  for (const std::string& other : find_plugin_files(plugin_search_path(options.plugin_dir))) {
    if (fs::path(other).filename() == fs::path(options.subject).filename())
      continue;
    try {
      load_plugin_file(registry, other);
    } catch (const Error&) {  // of another plugin: `list` shows it
    }
  }
  load_plugin_file(registry, options.subject);
}

/// The file of a plugin that is given by its file, or by the NAME of an installed
/// libphraseq-NAME.so.
std::string plugin_file(const PluginsOptions& options) {
  if (fs::is_regular_file(options.subject))
    return options.subject;
  const std::string library = fmt::format("libphraseq-{}.so", options.subject);
  for (const std::string& file : find_plugin_files(plugin_search_path(options.plugin_dir))) {
    if (fs::path(file).filename() == library)
      return file;
  }
  return options.subject;
}

int check_here(const PluginsOptions& options) {
  const std::string& file = options.subject;
  Registry registry;
  const LoadedPlugin plugin = load_plugin_file(registry, file);
  std::vector<std::string> problems;
  fmt::print(
      "{}\n  plugin {} {}: {}\n", plugin.file, plugin.name, plugin.version, plugin.description);
  for (const Component* component : registry.components()) {
    fmt::print("  {} {}: {}\n", component->kind, component->name, component->description);
    for (const Preset& preset : component->presets) {
      fmt::print("    preset {}: {}\n", preset.name, preset.description);
    }
    for (std::string& problem : component_problems(*component))
      problems.push_back(std::move(problem));
  }
  if (registry.components().empty())
    problems.emplace_back("it registers no component");
  if (problems.empty()) {
    check_names(options);
    become_conformance(options);
  }
  throw PluginError(fmt::format("{}: loads, but\n    {}", file, fmt::join(problems, "\n    ")));
}

/// A library damaged in the middle can crash whoever loads it, so a child process does. It
/// continues as this command: its messages and its exit code are ours.
int check(const PluginsOptions& options) {
  const std::string& file = options.subject;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0)
    throw IoError(file, "start a process to load", errno);
  if (child == 0) {
    alarm(kCheckSeconds);
    return check_here(options);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFSIGNALED(status))
    return WEXITSTATUS(status);
  if (WTERMSIG(status) == SIGALRM) {
    throw PluginError(fmt::format("{}: did not finish within {} s", file, kCheckSeconds));
  }
  throw PluginError(
      fmt::format(
          "{}: terminates the process that loads it: {}", file, strsignal(WTERMSIG(status))),
      "The last line above names the check that was running. If there is none, the file is "
      "damaged, or code that runs while the library is loaded fails: rebuild the plugin.");
}

/// What `program --help-markdown` prints; empty when it has no such page. Throws IoError when there
/// was no room for it.
std::string command_page(const fs::path& program) {
  const std::array<std::string, 1> arguments = {"--help-markdown"};
  const ProgramOutput printed = program_output(program.string(), arguments);
  if (printed.exit_code == kExitIo)
    throw IoError(program.string(), "read the options page of", 0);
  return printed.exit_code == kExitOk && printed.output.starts_with("# ") ? printed.output : "";
}

/// One page a component and one a command, and a list of them; all or none.
int write_option_pages(const PluginsOptions& options) {
  StagingFolder staging(options.output);
  const fs::path folder = staging.path();
  Registry registry;
  const auto refusals = load_all(registry, options);
  std::string index =
      "# Options\n\nWritten by `scripts/update_docs.sh`; do not edit.\n\n## Commands\n\nThe page "
      "of a command lists the options of the components that it uses by default. The options of "
      "other components are on their own pages; `--help` shows them when they are selected.\n\n";
  for (const fs::path& program : command_programs()) {
    const std::string name = program.filename().string();
    const std::string page = command_page(program);
    if (page.empty()) {
      log_warning(fmt::format("{} has no options page", name));
      continue;
    }
    write_file((folder / (name + ".md")).string(), page);
    index += fmt::format("- [{0}]({0}.md)\n", name);
  }
  index += "\n## Components\n\n";
  for (const Component* component : registry.components()) {
    const std::string name = fmt::format("{}-{}", component->kind, component->name);
    write_file((folder / (name + ".md")).string(), component_markdown(*component));
    index += fmt::format(
        "- [{} `{}`]({}.md): {}\n", component->kind, component->name, name, component->description);
  }
  write_file((folder / "README.md").string(), index);
  staging.commit("README.md");
  return report(refusals);
}

int plugins(std::span<const std::string> arguments) {
  PluginsOptions options;
  OptionTable table;
  options.describe(table);
  const bool answered = answer_help(
      table,
      "plugins",
      "list|explain NAME|check FILE|options [OPTIONS]",
      "Lists, describes and checks plugins; 'options' writes the pages of docs/options.",
      arguments);
  if (answered)
    return kExitOk;
  parse_command_line(table, arguments, [&] { return options.problems(); });
  if (answer_print_config(table, arguments))
    return kExitOk;
  if (options.action == "list")
    return list(options);
  if (options.explains())
    return explain(options);
  if (options.action == "check") {
    options.subject = plugin_file(options);
    return check(options);
  }
  return write_option_pages(options);
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("plugins", argc, argv, plugins); }
