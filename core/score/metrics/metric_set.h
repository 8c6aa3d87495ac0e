#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/plugin/registry.h"
#include "core/score/metrics/metric.h"

namespace phraseq::score {

/// The metrics of one command, by name, and their options. It must outlive the metrics that it
/// makes.
class PHRASEQ_API MetricSet {
 public:
  /// Throws a UsageError with the nearest names and all known names if the registry lacks one of
  /// `names`.
  MetricSet(Registry registry, std::span<const std::string> names);

  /// Describes the options of the named metrics and of sacrebleu's metrics, with sacrebleu's names.
  void describe(OptionTable& table);
  /// Returns `problems` and the contradictions within the metrics' options.
  std::vector<std::string> add_problems(std::vector<std::string> problems) const;
  /// Warns of every option that has no effect; sacrebleu accepts such options as well.
  void warn_of_unused_options() const;

  /// Makes one metric with the described options; if `name` is a preset, its values override them.
  /// So --lowercase applies to both bleu and multi-bleu, and chrf++ keeps its word order of 2 next
  /// to a chrf with a different one.
  std::unique_ptr<Metric> make(const std::string& name, const MetricSetup& setup) const;
  /// Makes the metrics, in sacrebleu's order. Throws UsageError if two are the same metric by name
  /// and options, such as chrf++ and chrf with a word order of 2.
  Metrics make_all(std::span<const std::string> names, const MetricSetup& setup) const;

 private:
  void add(const std::string& name);
  const Selection* find(const Component& component) const;
  std::vector<std::string> names_of(const Component& component) const;
  std::vector<std::string> reasons_unused(const Selection& selection) const;

  Registry registry_;
  std::vector<std::string> names_;    ///< as requested, in sacrebleu's order
  std::vector<Selection> described_;  ///< one for each component
};

/// The metrics `names` of the plugins that are found through `arguments` (--plugin-dir) and the
/// search path. Plugins that need LibTorch are loaded only if a name is not found among the others.
/// Throws as the constructor does.
PHRASEQ_API MetricSet find_metrics(std::span<const std::string> arguments,
                                   std::span<const std::string> names);

}  // namespace phraseq::score
