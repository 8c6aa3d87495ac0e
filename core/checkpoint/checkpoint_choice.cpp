#include "core/checkpoint/checkpoint_choice.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/counted.h"

namespace phraseq {
namespace {

constexpr std::array<std::pair<std::string_view, bool>, 9> kDirections = {
    {{"loss", false},
     {"nll_loss", false},
     {"ppl", false},
     {"ter", false},
     {"bleu", true},
     {"chrf", true},
     {"chrf++", true},
     {"accuracy", true},
     {"correct_per_token", true}}};

/// The metric that the user asked for, otherwise the only one among the names. Throws UsageError if
/// there are several.
std::string metric_of(const std::vector<CheckpointName>& names, const std::string& asked_for) {
  std::set<std::string> metrics;
  for (const auto& name : names) metrics.insert(name.metric);
  if (!asked_for.empty())
    return asked_for;
  if (metrics.size() > 1) {
    throw UsageError(
        fmt::format("the folder has the best checkpoints by {}", fmt::join(metrics, " and by ")),
        "Select one with --metric.");
  }
  return metrics.empty() ? "" : *metrics.begin();
}

/// Keeps those of one metric, the best last.
void order_by_metric(std::vector<CheckpointName>& names, const CheckpointChoice& choice) {
  const std::string metric = metric_of(names, choice.metric);
  std::erase_if(names, [&](const CheckpointName& name) { return name.metric != metric; });
  if (names.empty())
    return;
  const auto larger_is_better =
      choice.larger_is_better ? choice.larger_is_better : known_direction(metric);
  if (!larger_is_better) {
    throw UsageError(
        fmt::format("it is not known whether larger values of '{}' are better", metric),
        "Specify it with --maximize-best-checkpoint-metric yes or no.");
  }
  if (!*larger_is_better)
    std::ranges::reverse(names);
}

void drop_above(std::vector<CheckpointName>& names, const CheckpointChoice& choice) {
  if (!choice.upper_bound)
    return;
  std::erase_if(names, [&](const CheckpointName& name) {
    return (choice.kind == CheckpointKind::kEpoch ? name.epoch : name.update) > *choice.upper_bound;
  });
}

std::string_view kind_text(CheckpointKind kind) {
  switch (kind) {
    case CheckpointKind::kEpoch:
      return "epoch";
    case CheckpointKind::kUpdate:
      return "update";
    case CheckpointKind::kBest:
      return "best";
  }
  return {};
}

std::string_view how_to_get(CheckpointKind kind) {
  switch (kind) {
    case CheckpointKind::kEpoch:
      return "phraseq train writes them unless --no-epoch-checkpoints is given.";
    case CheckpointKind::kUpdate:
      return "phraseq train writes them with --save-interval-updates.";
    case CheckpointKind::kBest:
      return "phraseq train writes them with --keep-best-checkpoints N.";
  }
  return {};
}

}  // namespace

std::optional<bool> known_direction(const std::string& metric) {
  for (const auto& [name, larger] : kDirections) {
    if (name == metric)
      return larger;
  }
  return std::nullopt;
}

std::vector<std::string> choose_checkpoints(const std::string& folder,
                                            const CheckpointChoice& choice) {
  auto names = list_checkpoints(folder, choice.kind);
  if (choice.kind == CheckpointKind::kBest) {
    order_by_metric(names, choice);
  } else {
    drop_above(names, choice);
  }
  // After --reset-dataloader, epochs are counted from 1 again.
  if (choice.kind == CheckpointKind::kUpdate)
    std::ranges::stable_sort(names, {}, &CheckpointName::update);
  const auto found = static_cast<int64_t>(names.size());
  if (found < choice.count) {
    throw UsageError(
        fmt::format("{}: {} found, {} requested",
                    folder,
                    counted(found, fmt::format("{} checkpoint", kind_text(choice.kind))),
                    choice.count),
        how_to_get(choice.kind));
  }
  std::vector<std::string> paths;
  for (auto name = names.end() - choice.count; name != names.end(); ++name) {
    paths.push_back((std::filesystem::path(folder) / name->file_name()).string());
  }
  return paths;
}

}  // namespace phraseq
