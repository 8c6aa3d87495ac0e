#include "core/plot/curves/metrics_record.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace phraseq::plot {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Keys that say where and when a value was measured.
constexpr std::array<std::string_view, 10> kPlaceKeys = {"epoch",
                                                         "batch",
                                                         "batches",
                                                         "updates",
                                                         "wall",
                                                         "processor",
                                                         "seconds",
                                                         "tokens",
                                                         "sentences",
                                                         "best"};

MetricsEvent event_of(const std::string& name) {
  if (name == "train")
    return MetricsEvent::kInterval;
  if (name == "epoch")
    return MetricsEvent::kEpoch;
  if (name == "valid")
    return MetricsEvent::kValidation;
  if (name == "start")
    return MetricsEvent::kStart;
  return name == "resume" ? MetricsEvent::kResume : MetricsEvent::kOther;
}

double number_in(const nlohmann::json& object, const char* key, double otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

double position_of(const nlohmann::json& object, MetricsEvent event, double epoch) {
  if (event == MetricsEvent::kEpoch)
    return epoch;
  const double batches = number_in(object, "batches", 0);
  if (event != MetricsEvent::kInterval || !(batches > 0))
    return kUnknown;
  return epoch - 1 + std::clamp(number_in(object, "batch", 0) / batches, 0.0, 1.0);
}

std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

void take_values(const nlohmann::json& object, MetricsRecord& record) {
  record.score_name = text_in(object, "score_name");
  for (const auto& [key, value] : object.items()) {
    const bool is_place = std::find(kPlaceKeys.begin(), kPlaceKeys.end(), key) != kPlaceKeys.end();
    if (is_place || !(value.is_number() || value.is_null()))
      continue;
    const bool is_score = key == "score" && !record.score_name.empty();
    record.values.emplace_back(is_score ? record.score_name : key,
                               value.is_number() ? value.get<double>() : kUnknown);
  }
}

std::optional<MetricsRecord> record_of(const nlohmann::json& object) {
  if (!object.is_object() || text_in(object, "event").empty())
    return std::nullopt;
  MetricsRecord record;
  record.event = event_of(text_in(object, "event"));
  record.updates = number_in(object, "updates", kUnknown);
  if (record.event == MetricsEvent::kOther)
    return record;
  if (!(record.updates >= 0))
    return std::nullopt;
  record.epoch = number_in(object, "epoch", kUnknown);
  record.position = position_of(object, record.event, record.epoch);
  record.wall = number_in(object, "wall", kUnknown);
  record.processor = number_in(object, "processor", kUnknown);
  take_values(object, record);
  return record;
}

/// Python writes numbers that are not finite as NaN, Infinity and -Infinity, which JSON lacks.
std::string without_python_numbers(std::string_view line) {
  std::string text(line);
  for (const std::string_view word : {": -Infinity", ": Infinity", ": NaN"}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at))
      text.replace(at, word.size(), ": null");
  }
  return text;
}

std::optional<MetricsRecord> parse(std::string_view text) {
  const auto object = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return object.is_discarded() ? std::nullopt : record_of(object);
}

}  // namespace

std::optional<MetricsRecord> parse_metrics_record(std::string_view line) {
  if (auto record = parse(line))
    return record;
  if (auto record = parse(without_python_numbers(line)))
    return record;
  constexpr int kMostTries = 100;  // each of them reads the rest of the line
  size_t at = line.find("{\"", 1);
  for (int tries = 0; tries < kMostTries && at != std::string_view::npos; ++tries) {
    if (auto record = parse(line.substr(at)))
      return record;
    at = line.find("{\"", at + 1);
  }
  return std::nullopt;
}

}  // namespace phraseq::plot
