#include "core/checkpoint/checkpoint_name.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/io/folders/folder_entries.h"

namespace phraseq {
namespace {

constexpr std::string_view kStem = "checkpoint";
constexpr std::string_view kBestPart = ".best_";
constexpr std::string_view kSuffix = ".safetensors";

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto found = number_in<Number>(text);
  number = found.value_or(number);
  return found.has_value();
}

bool strip_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// METRIC_VALUE, where the metric may hold underscores itself.
bool read_best(std::string_view text, CheckpointName& name) {
  const size_t underscore = text.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0)
    return false;
  name.metric = text.substr(0, underscore);
  return read_number(text.substr(underscore + 1), name.value) && std::isfinite(name.value);
}

/// EPOCH_UPDATE
bool read_update(std::string_view text, CheckpointName& name) {
  const size_t underscore = text.find('_');
  return underscore != std::string_view::npos &&
         read_number(text.substr(0, underscore), name.epoch) &&
         read_number(text.substr(underscore + 1), name.update);
}

/// What stands between "checkpoint" and ".safetensors".
bool read_middle(std::string_view text, CheckpointName& name) {
  if (strip_prefix(text, kBestPart)) {
    name.kind = CheckpointKind::kBest;
    return read_best(text, name);
  }
  if (strip_prefix(text, "_")) {
    name.kind = CheckpointKind::kUpdate;
    return read_update(text, name);
  }
  name.kind = CheckpointKind::kEpoch;
  return read_number(text, name.epoch);
}

}  // namespace

std::string CheckpointName::file_name() const {
  switch (kind) {
    case CheckpointKind::kEpoch:
      return fmt::format("{}{}{}", kStem, epoch, kSuffix);
    case CheckpointKind::kUpdate:
      return fmt::format("{}_{}_{}{}", kStem, epoch, update, kSuffix);
    case CheckpointKind::kBest:
      return fmt::format("{}{}{}_{:.6f}{}", kStem, kBestPart, metric, value, kSuffix);
  }
  return {};
}

std::optional<CheckpointName> parse_checkpoint_name(std::string_view file_name) {
  std::string_view middle = file_name;
  if (!middle.ends_with(kSuffix))
    return std::nullopt;
  middle.remove_suffix(kSuffix.size());
  CheckpointName name;
  if (!strip_prefix(middle, kStem) || !read_middle(middle, name))
    return std::nullopt;
  if (name.file_name() != file_name)
    return std::nullopt;  // 007, -0 …: not written by us
  return name;
}

std::vector<CheckpointName> list_checkpoints(const std::string& folder, CheckpointKind kind) {
  std::vector<CheckpointName> found;
  for (const auto& entry : entries_of(folder)) {
    const auto name = parse_checkpoint_name(entry.path().filename().string());
    if (name && name->kind == kind)
      found.push_back(*name);
  }
  std::ranges::sort(found, {}, [](const CheckpointName& name) {
    return std::tuple(name.epoch, name.update, name.value, name.metric);
  });
  return found;
}

}  // namespace phraseq
