// phraseq new-plugin: writes the folder that a plugin begins with.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/support/plugin_templates.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/folders/staging_folder.h"
#include "core/plugin/loader.h"
#include "core/plugin/registry.h"
#include "core/plugin/search_path_plugins.h"
#include "phraseq/abi_stamp.h"

namespace {

namespace fs = std::filesystem;
using namespace phraseq;

struct Kind {
  std::string_view name;   ///< the value of --kind, and the folder of its templates
  std::string_view words;  ///< the name in a sentence, with its article
  std::string_view flags;  ///< flags of phraseq_add_plugin
  std::string_view use;    ///< how the built plugin is used, with "@name@"
};

constexpr std::array<Kind, 9> kKinds = {{
    {"architecture", "An architecture", "", "phraseq train DATA --arch @name@_tiny --max-epoch 5"},
    {"task",
     "A task",
     "",
     "phraseq train DATA --task @name@ --arch transformer_tiny --max-epoch 5"},
    {"criterion",
     "A criterion",
     "",
     "phraseq train DATA --criterion @name@ --arch transformer_tiny --max-epoch 5"},
    {"decoder", "A decoder", "", "phraseq generate --path MODEL --decoder @name@ < IN > OUT"},
    {"data_loader",
     "A data loader",
     "",
     "# DATA contains train.en, train.de, valid.en, valid.de, dict.en.txt and dict.de.txt\n"
     "phraseq train DATA -s en -t de --data-loader @name@ --arch transformer_tiny --max-epoch 5"},
    {"optimizer",
     "An optimizer",
     "",
     "phraseq train DATA --optimizer @name@ --arch transformer_tiny --max-epoch 5"},
    {"lr_scheduler",
     "A learning-rate schedule",
     " TORCH_FREE",
     "phraseq train DATA --lr-scheduler @name@ --arch transformer_tiny --max-epoch 5"},
    {"tokenizer",
     "A tokenizer",
     " TORCH_FREE",
     "phraseq preprocess --tokenizer @name@ -s en -t de --trainpref train --destdir DATA"},
    {"metric", "A metric", " TORCH_FREE", "phraseq score REF -i SYSTEM --metrics @name@"},
}};

struct NewPluginOptions final : Options {
  std::string name;
  std::string kind;
  std::string output;

  void describe(OptionTable& table) override {
    table.field("name", name, "Name of the plugin and of its component.")
        .value_name("NAME")
        .positional()
        .required();
    OptionField& kinds =
        table.field("kind", kind, "Kind of component.").value_name("KIND").required();
    for (const Kind& known : kKinds) kinds.choices.emplace_back(known.name);
    table.field("output", output, "Folder to write; empty = NAME in the current folder.")
        .value_name("FOLDER");
  }

  std::vector<std::string> problems() const override {
    if (!is_valid_name(name, "_")) {
      return {
          fmt::format("'{}' is not a valid name for a plugin and its component: use lowercase "
                      "letters, digits and '_', starting with a letter",
                      name)};
    }
    if (name == "base" || name == "core")
      return {fmt::format("'{}' is the name of a library of phraseq itself", name)};
    if (name == "register")
      return {"'register' is the name of a file that every plugin has: register.cpp"};
    return {};
  }

  std::string folder() const { return output.empty() ? name : output; }
};

/// Describes the current owner of the name: a plugin, whose file the new one would replace, or a
/// component of the kind. Empty if nothing has it.
std::string owner_of_name(const NewPluginOptions& options) {
  for (const std::string& file : find_plugin_files(plugin_search_path({}))) {
    if (fs::path(file).filename() == "libphraseq-" + options.name + ".so")
      return "the plugin " + file;
  }
  const auto names = SearchPathPlugins({}).registry.names(options.kind);
  const bool is_taken = std::find(names.begin(), names.end(), options.name) != names.end();
  return is_taken ? fmt::format("a component of the kind {}", options.kind) : std::string();
}

std::vector<std::string> name_problems(const NewPluginOptions& options) {
  auto problems = options.problems();
  if (!problems.empty())
    return problems;
  if (const std::string owner = owner_of_name(options); !owner.empty()) {
    problems.push_back(
        fmt::format("'{}' is already the name of {}: choose another name, for example my_{}",
                    options.name,
                    owner,
                    options.name));
  }
  return problems;
}

const Kind& kind_of(const NewPluginOptions& options) {
  return *std::find_if(
      kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.name == options.kind; });
}

/// `text` with each "@KEY@" replaced by its value.
std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), value);
  }
  return text;
}

/// The replacements for the placeholders of a template.
std::map<std::string, std::string> values_of(const NewPluginOptions& options) {
  const Kind& kind = kind_of(options);
  const std::string_view version = PHRASEQ_VERSION;
  return {{"flag", option_name(options.name)},
          {"flags", std::string(kind.flags)},
          {"kind", std::string(kind.words)},
          {"name", options.name},
          {"use", fill(std::string(kind.use), {{"name", options.name}})},
          {"version", std::string(version.substr(0, version.rfind('.')))}};
}

/// The name of a template's file in the plugin: "architecture/NAME.cpp" → "my_model.cpp"; empty for
/// templates of other kinds.
std::string file_name(const PluginTemplate& file, const NewPluginOptions& options) {
  const size_t slash = file.path.find('/');
  const std::string_view folder = file.path.substr(0, slash);
  if (folder != "common" && folder != options.kind)
    return {};
  const std::string name(file.path.substr(slash + 1));
  return name.starts_with("NAME.") ? options.name + name.substr(4) : name;
}

void write_plugin(const NewPluginOptions& options) {
  std::error_code unreadable;
  if (fs::exists(fs::symlink_status(options.folder(), unreadable))) {
    throw UsageError(fmt::format("{}: already exists", options.folder()),
                     "Choose another name, or another folder with --output.");
  }
  const auto values = values_of(options);
  StagingFolder staging(options.folder());
  for (const PluginTemplate& file : plugin_templates()) {
    const std::string name = file_name(file, options);
    if (!name.empty())
      write_file(staging.path() + "/" + name, fill(std::string(file.text), values));
  }
  staging.commit("CMakeLists.txt");
}

int new_plugin(std::span<const std::string> arguments) {
  NewPluginOptions options;
  OptionTable table;
  options.describe(table);
  const auto problems = [&] {
    // If the name is missing, this has already been reported.
    const bool is_named = table.find("name")->origin != OptionOrigin::kDefault;
    return is_named ? name_problems(options) : std::vector<std::string>();
  };
  if (!begin_command(table,
                     {"new-plugin",
                      "NAME --kind KIND [OPTIONS]",
                      "Writes a folder with a minimal plugin that builds and passes 'phraseq "
                      "plugins check': a starting point for your own."},
                     arguments,
                     problems))
    return kExitOk;
  write_plugin(options);
  fmt::print("{} was written; {}/README.md explains how to build it.\n",
             options.folder(),
             options.folder());
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  return phraseq::run_command("new-plugin", argc, argv, new_plugin);
}
