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
#include "cli/plugins/trial_options.h"
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
  TrialOptions trial;

  void describe(OptionTable& table) override {
    table.field("file", file, "Shared library of the plugin.")
        .value_name("FILE")
        .positional()
        .required();
    table.field("kind", kind, "Only components of this kind.").value_name("KIND");
    trial.describe(table);
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
std::vector<std::string> values_for(const TrialOptions& trial) {
  std::vector<std::string> values;
  if (!trial.source_lang.empty())
    values.push_back("source-lang=" + trial.source_lang);
  if (!trial.target_lang.empty())
    values.push_back("target-lang=" + trial.target_lang);
  values.insert(values.end(), trial.set.begin(), trial.set.end());
  return values;
}

/// The user's data or, without any, generated data in `folder`.
TrialData data_for(const TrialOptions& trial, const std::string& folder) {
  TrialData data;
  if (trial.data.empty()) {
    data = conformance::write_toy_data(folder);
  } else {
    data.folder = trial.data;
    data.source = trial.source_lang;
    data.target = trial.target_lang;
    if (!trial.split.empty())
      data.split = trial.split;
    conformance::find_languages(data);
  }
  data.model = trial.model;
  return data;
}

void check_component(const Registry& registry,
                     const Component& component,
                     const ConformanceOptions& options,
                     const std::string& folder,
                     Count& count) {
  const TrialData data = data_for(options.trial, folder);
  const std::vector<std::string> set = values_for(options.trial);
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
  conformance::require_known(options.trial.set, own);
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
