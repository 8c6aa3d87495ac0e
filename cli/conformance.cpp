// phraseq conformance: the program that `phraseq plugins check` runs to check the components of a
// plugin.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/base/wording/first_items.h"
#include "core/conformance/fixtures/small_options.h"
#include "core/conformance/fixtures/toy_task.h"
#include "core/conformance/isolated_run.h"
#include "core/conformance/suites.h"
#include "core/data/task.h"
#include "core/io/folders/scratch_folder.h"
#include "core/nn/architecture.h"
#include "core/plugin/loader.h"
#include "core/text/replace_all.h"

namespace {

using namespace phraseq;
using conformance::TrialData;
using conformance::Verdict;

constexpr size_t kMaxFindings = 6;  // per check; further findings are only counted

struct ConformanceOptions final : Options {
  std::string file;
  std::string kind;
  std::vector<std::string> set;
  TrialData data;

  ConformanceOptions() {
    data.folder.clear();
    data.source.clear();
    data.target.clear();
  }

  void describe(OptionTable& table) override {
    table.field("file", file, "Shared library of the plugin.")
        .value_name("FILE")
        .positional()
        .required();
    table.field("kind", kind, "Only components of this kind.").value_name("KIND");
    table
        .field("set",
               set,
               "Component options for the check, in addition to their presets and the small sizes. "
               "Every component of the library that has the option gets the value.")
        .value_name("NAME=VALUE,...");
    table
        .field(
            "data",
            data.folder,
            "Data for data loaders and tasks; empty = generated text, both raw and preprocessed.")
        .value_name("FOLDER");
    table.field("split", data.split, "Split of --data.").value_name("NAME");
    table
        .field(
            "source-lang", data.source, "Source language of --data; default: as the folder says.")
        .value_name("LANG");
    table
        .field(
            "target-lang", data.target, "Target language of --data; default: as the folder says.")
        .value_name("LANG");
    table.field("model", data.model, "Model file for a tokenizer that needs one.")
        .value_name("FILE");
  }
};

struct Count {
  int checks = 0;
  int failed = 0;
};

void print_verdict(const Verdict& verdict) {
  constexpr std::array<const char*, 3> kWords = {"ok", "FAILED", "-"};
  fmt::print(" {}\n", kWords[static_cast<size_t>(verdict.kind)]);
  if (verdict.findings.empty())
    return;
  // A finding may also have several lines.
  const std::string lines = "\n" + first_items(verdict.findings, kMaxFindings, "\n");
  fmt::print("{}\n", replace_all(lines, "\n", "\n      ").substr(1));
}

/// Prints the title before the check runs, so that the last line names a check that takes too long.
void check_selection(const Registry& registry,
                     const Selection& selection,
                     const TrialData& data,
                     const std::string& folder,
                     Count& count) {
  fmt::print("  {} {}\n", selection.component->kind, selection.name);
  for (const auto& check : conformance::checks_of(registry, selection, data, folder)) {
    fmt::print("    {:.<74}", check.title + " ");
    std::fflush(stdout);
    const Verdict verdict = conformance::run_isolated(check);
    print_verdict(verdict);
    ++count.checks;
    count.failed += verdict.kind == Verdict::Kind::kFails ? 1 : 0;
  }
}

/// The values of --set, after the languages of --data, which are options of a task.
std::vector<std::string> values_for(const ConformanceOptions& options) {
  std::vector<std::string> values;
  if (!options.data.source.empty())
    values.push_back("source-lang=" + options.data.source);
  if (!options.data.target.empty())
    values.push_back("target-lang=" + options.data.target);
  values.insert(values.end(), options.set.begin(), options.set.end());
  return values;
}

void check_component(const Registry& registry,
                     const Component& component,
                     const ConformanceOptions& options,
                     const std::string& folder,
                     Count& count) {
  TrialData data = options.data;
  if (data.folder.empty()) {
    data = conformance::write_toy_data(folder);
    data.model = options.data.model;
  } else {
    conformance::find_languages(data);
  }
  const std::vector<std::string> set = values_for(options);
  const auto check = [&](const Preset* preset) {
    const Selection selection = conformance::small_selection(component, preset, set);
    check_selection(registry, selection, data, folder, count);
  };
  check(nullptr);
  if (component.kind != Architecture::kKind)
    return;
  for (const Preset& preset : component.presets) check(&preset);
}

/// Loads the plugins of the search path in addition to `own`, the author's plugin, because a task
/// selects loaders and tokenizers. A file of the same name is an older copy of the author's.
void load_others(Registry& registry, const std::string& own) {
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename(); };
  for (const std::string& file : find_plugin_files(plugin_search_path({}))) {
    if (name(file) != name(own))
      load_plugin_file(registry, file);
  }
}

void keep_kind(std::vector<const Component*>& components, const std::string& kind) {
  if (kind.empty())
    return;
  std::erase_if(components, [&](const Component* c) { return c->kind != kind; });
  if (components.empty())
    throw UsageError(fmt::format("--kind {}: the library has no component of this kind", kind));
}

int check(const ConformanceOptions& options) {
  at::set_num_threads(1);  // a second thread does not speed up models this small
  Registry registry;
  conformance::add_toy_task(registry);
  load_plugin_file(registry, options.file);
  std::vector<const Component*> own = registry.components();
  std::erase_if(own, [](const Component* c) { return c->name == conformance::kToyTask; });
  if (std::any_of(
          own.begin(), own.end(), [](const Component* c) { return c->kind == Task::kKind; }))
    load_others(registry, options.file);
  conformance::require_known(options.set, own);
  keep_kind(own, options.kind);
  Count count;
  for (const Component* component : own) {
    const ScratchFolder folder("check");
    check_component(registry, *component, options, folder.path(), count);
  }
  if (count.failed == 0)
    return kExitOk;
  throw PluginError(
      fmt::format("{}: {} of {} checks failed", options.file, count.failed, count.checks),
      "The page docs/handbook/checks.md (in share/doc/phraseq of an installation) explains each "
      "check.");
}

int conformance_command(std::span<const std::string> arguments) {
  ConformanceOptions options;
  if (!begin_command(
          options,
          {"conformance",
           "FILE [OPTIONS]",
           "Runs the conformance checks of every component of a plugin on small models and "
           "generated data; 'phraseq plugins check' runs this command in a separate process."},
          arguments))
    return kExitOk;
  return check(options);
}

}  // namespace

int main(int argc, char** argv) {
  return phraseq::run_command("conformance", argc, argv, conformance_command);
}
