#include "cli/plugins/check.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/posix/wait_for_child.h"
#include "core/io/program_output.h"
#include "core/plugin/component_text.h"
#include "core/plugin/loader.h"
#include "core/plugin/search_path_plugins.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kCheckSeconds = 600;

/// The arguments for `phraseq conformance`.
std::vector<std::string> conformance_arguments(const PluginsOptions& options) {
  std::vector<std::string> arguments = {options.subject};
  if (!options.kind.empty())
    arguments.insert(arguments.end(), {"--kind", option_key(options.kind)});
  for (std::string& argument : options.trial.arguments()) arguments.push_back(std::move(argument));
  return arguments;
}

/// Replaces this process by `phraseq conformance`, which, unlike this program, is linked with
/// LibTorch.
[[noreturn]] void become_conformance(const PluginsOptions& options) {
  const fs::path program = program_folder() / "phraseq-conformance";
  const std::vector<std::string> arguments = conformance_arguments(options);
  std::vector<const char*> argv = {program.c_str()};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(program.c_str(), const_cast<char* const*>(argv.data()));
  throw IoError(program.string(), "run", errno);
}

/// Throws PluginError if another plugin of the search path registers one of the same names: no
/// command could use both. An installed copy of the same plugin does not count.
void check_names(const PluginsOptions& options) {
  SearchPathPlugins others(options.plugins.plugin_dir,
                           fs::path(options.subject).filename());  // `list` shows rejections
  load_plugin_file(others.registry, options.subject);
}

/// The command that uses components of a kind, and the flag that selects one.
struct UsingCommand {
  const char* kind;
  const char* program;
  const char* flag;
};

constexpr UsingCommand kUsingCommands[] = {
    {"architecture", "phraseq-train", "--arch"},
    {"criterion", "phraseq-train", "--criterion"},
    {"decoder", "phraseq-generate", "--decoder"},
    {"lr_scheduler", "phraseq-train", "--lr-scheduler"},
    {"metric", "phraseq-score", "--metrics"},
    {"optimizer", "phraseq-train", "--optimizer"},
    {"task", "phraseq-train", "--task"},
    {"tokenizer", "phraseq-preprocess", "--tokenizer"},
};

/// Why the command that uses the component cannot describe its options beside its own; empty if it
/// can. The command finds only files that are named like plugins.
std::string problem_in_command(const Component& component, const fs::path& file) {
  const auto* const found = std::ranges::find(kUsingCommands, component.kind, &UsingCommand::kind);
  if (found == std::end(kUsingCommands) || !file.filename().string().starts_with("libphraseq-"))
    return {};
  const std::vector<std::string> arguments = {found->flag,
                                              component.name,
                                              "--help",
                                              "--plugin-dir",
                                              fs::absolute(file).parent_path().string()};
  const ProgramOutput output =
      program_output((program_folder() / found->program).string(), arguments);
  if (output.exit_code == kExitOk)
    return {};
  return fmt::format("{} {}: {}", component.kind, component.name, output.errors);
}

/// The file of a plugin, which is given as a file or as the NAME of an installed
/// libphraseq-NAME.so.
std::string plugin_file(const PluginsOptions& options) {
  if (fs::is_regular_file(options.subject))
    return options.subject;
  const std::string library = fmt::format("libphraseq-{}.so", options.subject);
  for (const std::string& file :
       find_plugin_files(plugin_search_path(options.plugins.plugin_dir))) {
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
    for (const Component* component : registry.components()) {
      if (std::string problem = problem_in_command(*component, file); !problem.empty())
        problems.push_back(std::move(problem));
    }
  }
  if (problems.empty())
    become_conformance(options);
  throw PluginError(fmt::format("{}: loads, but\n    {}", file, fmt::join(problems, "\n    ")));
}

}  // namespace

// A damaged library can crash the process that loads it, so a child process does this. It continues
// as this command, and this process returns its exit code.
int check_plugin(PluginsOptions& options) {
  options.subject = plugin_file(options);
  const std::string& file = options.subject;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0)
    throw IoError(file, "start a process to load", errno);
  if (child == 0) {
    alarm(kCheckSeconds);
    return check_here(options);
  }
  const int status = wait_for_child(child);
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

}  // namespace phraseq
