#include "cli/plugins/option_pages.h"

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/io/folders/staging_folder.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/program_output.h"
#include "core/plugin/component_text.h"
#include "core/plugin/search_path_plugins.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

/// The output of `program --help-markdown`; empty if the program has no such page. Throws IoError
/// if the program could not write it.
std::string command_page(const fs::path& program) {
  const std::array<std::string, 1> arguments = {"--help-markdown"};
  const ProgramOutput printed = program_output(program.string(), arguments);
  if (printed.exit_code == kExitIo)
    throw IoError(program.string(), "read the options page of", 0);
  return printed.exit_code == kExitOk && printed.output.starts_with("# ") ? printed.output : "";
}

constexpr const char* kIndex = "README.md";
constexpr std::string_view kBeginning = "# Options\n\nWritten by ";

/// Throws UsageError if the folder has a README.md that is not a list of option pages, because it
/// would be replaced.
void reject_other_index(const std::string& folder) {
  const fs::path index = fs::path(folder) / kIndex;
  if (!fs::exists(index) || read_file(index.string()).starts_with(kBeginning))
    return;
  throw UsageError(index.string() + ": is not the list of option pages, and would be replaced",
                   "Give the pages a folder of their own with --output.");
}

/// Writes the pages of all commands; returns their entries in the list of pages.
std::string write_command_pages(const fs::path& folder) {
  std::string entries;
  for (const fs::path& program : command_programs()) {
    const std::string name = program.filename().string();
    const std::string page = command_page(program);
    if (page.empty()) {
      log_warning(fmt::format("{} has no options page", name));
      continue;
    }
    write_file((folder / (name + ".md")).string(), page);
    entries += fmt::format("- [{0}]({0}.md)\n", name);
  }
  return entries;
}

/// Does the same for all components.
std::string write_component_pages(const Registry& registry, const fs::path& folder) {
  std::string entries;
  for (const Component* component : registry.components()) {
    const std::string name = fmt::format("{}-{}", component->kind, component->name);
    write_file((folder / (name + ".md")).string(), component_markdown(*component));
    entries += fmt::format(
        "- [{} `{}`]({}.md): {}\n", component->kind, component->name, name, component->description);
  }
  return entries;
}

}  // namespace

int write_option_pages(const PluginsOptions& options) {
  reject_other_index(options.output);
  StagingFolder staging(options.output);
  const fs::path folder = staging.path();
  const SearchPathPlugins plugins(options.plugins.plugin_dir);
  std::string index =
      std::string(kBeginning) +
      "`scripts/update_docs.sh`; do not edit.\n\n## Commands\n\nThe page "
      "of a command lists the options of the components that it uses by default. The options of "
      "other components are on their own pages; `--help` shows them when they are selected. All "
      "commands also accept `--help`, `--version`, `--config FILE` and `--print-config`.\n\n";
  index += write_command_pages(folder);
  index += "\n## Components\n\n" + write_component_pages(plugins.registry, folder);
  write_file((folder / kIndex).string(), index);
  staging.commit(kIndex);
  return plugins.report();
}

}  // namespace phraseq
