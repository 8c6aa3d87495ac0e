#include "core/train/resume/best_so_far.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
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
  if (ValidationOptions::is_loss(metric))
    return names;
  for (const OptionField& field : table.fields()) {
    if (decides_score(field))
      names.push_back(option_key(field.name));
  }
  return names;
}

/// The part of an option's value that affects the metric: the first of several splits.
nlohmann::json deciding_part(const std::string& name, const nlohmann::json& value) {
  if (name != kSubsets || !value.is_string())
    return value;
  const auto subsets = value.get<std::string>();
  return subsets.substr(0, subsets.find(','));
}

}  // namespace

bool is_best_comparable(const OptionTable& table,
                        std::string_view metric,
                        const nlohmann::json& recorded) {
  const nlohmann::json options = to_json(table);
  return std::ranges::all_of(deciding_options(table, metric), [&](const std::string& name) {
    const nlohmann::json now = deciding_part(name, options.at(name));
    const nlohmann::json then = deciding_part(name, recorded.value(name, options.at(name)));
    if (then != now)
      log_info(fmt::format("{} was {}, now {}: the best score so far does not count",
                           name,
                           then.dump(),
                           now.dump()));
    return then == now;
  });
}

}  // namespace phraseq
