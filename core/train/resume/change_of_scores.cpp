#include "core/train/resume/change_of_scores.h"

#include <vector>

#include <fmt/format.h>

#include "core/options/option_text.h"
#include "core/score/metrics/metric.h"
#include "core/train/options/validation_options.h"

namespace phraseq {
namespace {

constexpr const char* kSubsets = "valid_subset";

bool decides_score(const OptionField& field) {
  return field.section.starts_with(Metric::kKind) ||
         (field.name.starts_with("eval-bleu-") && field.name != "eval-bleu-print-samples");
}

/// Names of the options that affect the value of `metric`, as checkpoints record them.
std::vector<std::string> deciding_options(const OptionTable& table, std::string_view metric) {
  std::vector<std::string> names = {
      "best_checkpoint_metric", "maximize_best_checkpoint_metric", kSubsets};
  if (ValidationOptions::is_of_criterion(metric))
    return names;
  for (const OptionField& field : table.fields()) {
    if (decides_score(field))
      names.push_back(option_key(field.name));
  }
  return names;
}

/// The part of an option's value that affects the metric: of several splits, the first.
nlohmann::json deciding_part(const std::string& name, const nlohmann::json& value) {
  if (name != kSubsets || !value.is_string())
    return value;
  const auto subsets = value.get<std::string>();
  return subsets.substr(0, subsets.find(','));
}

}  // namespace

std::optional<std::string> change_of_scores(const OptionTable& table,
                                            std::string_view metric,
                                            const nlohmann::json& recorded) {
  const nlohmann::json options = to_json(table);
  for (const std::string& name : deciding_options(table, metric)) {
    const nlohmann::json now = deciding_part(name, options.at(name));
    const nlohmann::json then = deciding_part(name, recorded.value(name, options.at(name)));
    if (then != now)
      return fmt::format("{} was {}, now {}", name, then.dump(), now.dump());
  }
  return std::nullopt;
}

}  // namespace phraseq
