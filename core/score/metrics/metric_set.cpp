#include "core/score/metrics/metric_set.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/alternatives.h"
#include "core/options/command_line.h"
#include "core/options/option_text.h"
#include "core/plugin/described_options.h"
#include "core/plugin/loader.h"
#include "core/score/metrics/named_metric.h"
#include "core/score/metrics/sacrebleu_names.h"

namespace phraseq::score {
namespace {

bool has_metric(const Registry& registry, const std::string& name) {
  const auto known = registry.names(Metric::kKind);
  return std::find(known.begin(), known.end(), name) != known.end();
}

/// The options whose values differ from the component's defaults.
std::vector<std::string> changed_options(const Selection& selection, const OptionTable& table) {
  const DescribedOptions defaults(*selection.component);
  std::vector<std::string> changed;
  for (const OptionField& field : table.fields()) {
    if (field.to_text() != defaults.table.find(field.name)->to_text())
      changed.push_back(field.name);
  }
  return changed;
}

std::string no_effect(const std::string& option,
                      const Component& component,
                      const std::vector<std::string>& metrics) {
  const std::string spelled = in_sacrebleu_spelling(option);
  if (metrics.empty())
    return fmt::format(
        "--{} has no effect: the metric {} is not computed", spelled, component.name);
  return fmt::format("--{} has no effect on {}", spelled, alternatives(metrics));
}

void apply_preset(const Selection& selection) {
  for (const Preset& preset : selection.component->presets) {
    if (preset.name == selection.name)
      preset.apply(*selection.options);
  }
}

}  // namespace

MetricSet::MetricSet(Registry registry, std::span<const std::string> names)
    : registry_(std::move(registry)), names_(in_sacrebleu_order(names)) {
  for (const std::string& name : sacrebleu_metrics()) {
    if (has_metric(registry_, name))
      add(name);
  }
  for (const std::string& name : names) add(name);
}

const Selection* MetricSet::find(const Component& component) const {
  for (const Selection& selection : described_) {
    if (selection.component == &component)
      return &selection;
  }
  return nullptr;
}

void MetricSet::add(const std::string& name) {
  const Component& component = *registry_.select(Metric::kKind, name).component;
  if (find(component) == nullptr)
    described_.push_back(registry_.select(Metric::kKind, component.name));
}

void MetricSet::describe(OptionTable& table) {
  for (const Selection& selection : described_) phraseq::describe(table, selection);
  spell_as_sacrebleu(table);
}

std::vector<std::string> MetricSet::add_problems(std::vector<std::string> problems) const {
  for (const Selection& selection : described_) add_problems_of(selection, problems);
  return problems;
}

void MetricSet::warn_of_unused_options() const {
  for (const Selection& selection : described_) {
    for (const std::string& reason : reasons_unused(selection)) log_warning(reason);
  }
}

std::vector<std::string> MetricSet::names_of(const Component& component) const {
  std::vector<std::string> found;
  for (const std::string& name : names_) {
    if (registry_.select(Metric::kKind, name).component == &component)
      found.push_back(name);
  }
  return found;
}

/// Why options that were given have no effect, one sentence for each.
std::vector<std::string> MetricSet::reasons_unused(const Selection& selection) const {
  const OptionTable table = described(selection);
  std::vector<std::string> reasons;
  const auto metrics = names_of(*selection.component);
  for (const std::string& option : changed_options(selection, table)) {
    const bool is_used =
        std::any_of(metrics.begin(), metrics.end(), [&](const std::string& metric) {
          return uses_option(metric, option);
        });
    const std::string reason = is_used ? missing_condition(option, table)
                                       : no_effect(option, *selection.component, metrics);
    if (!reason.empty())
      reasons.push_back(reason);
  }
  return reasons;
}

std::unique_ptr<Metric> MetricSet::make(const std::string& name, const MetricSetup& setup) const {
  const Selection selection = registry_.select(Metric::kKind, name);
  if (const Selection* given = find(*selection.component)) {
    OptionTable table = described(selection);
    from_json(table, to_json(described(*given)), OptionOrigin::kCommandLine);
  }
  apply_preset(selection);
  return std::make_unique<NamedMetric>(selection, setup);
}

Metrics MetricSet::make_all(std::span<const std::string> names, const MetricSetup& setup) const {
  Metrics made;
  const auto ordered = in_sacrebleu_order(names);
  for (const std::string& name : ordered) {
    made.push_back(make(name, setup));
    for (size_t other = 0; other + 1 < made.size(); ++other) {
      if (made[other]->name() != made.back()->name())
        continue;
      throw UsageError(fmt::format("--metrics: {} and {} are both {} with these options",
                                   ordered[other],
                                   name,
                                   made.back()->name()),
                       "Name one of the two.");
    }
  }
  return made;
}

MetricSet find_metrics(std::span<const std::string> arguments, std::span<const std::string> names) {
  const auto folders = plugin_search_path(peek_list(arguments, "plugin-dir"));
  return {load_plugins_with(folders, Metric::kKind, in_sacrebleu_order(names)), names};
}

}  // namespace phraseq::score
