#include "core/score/compare/comparison_json.h"

#include <nlohmann/json.hpp>

namespace phraseq::score {
namespace {

using Json = nlohmann::ordered_json;

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json score_json(const ComparedScore& score, const ComparedScore& baseline) {
  return {{"score", score.score},
          {"difference", score.score - baseline.score},
          {"mean", score.interval.mean},
          {"half_width", score.interval.half_width},
          {"p_value", optional(score.p_value)},
          {"koehn_p_value", optional(score.koehn_p_value)},
          {"outputs", score.outputs},
          {"standard_deviation", standard_deviation(score.outputs)}};
}

Json bucket_json(const BucketScores& bucket,
                 const std::string& unit,
                 const std::vector<std::string>& names) {
  Json result = {{"from", bucket.from}};
  result["to"] = bucket.to ? Json(*bucket.to) : Json(nullptr);
  result[unit] = bucket.size;
  result["systems"] = Json::array();
  for (size_t system = 0; system < bucket.systems.size(); ++system) {
    Json entry = {{"system", names[system]}};
    entry.update(score_json(bucket.systems[system], bucket.systems[0]));
    result["systems"].push_back(entry);
  }
  return result;
}

Json table_json(const BucketTable& table, const std::vector<std::string>& names) {
  Json result = {{"by", table.by},
                 {"metric", table.metric},
                 {"signature", table.signature},
                 {"rows", Json::array()}};
  for (const auto& bucket : table.rows)
    result["rows"].push_back(bucket_json(bucket, table.unit, names));
  return result;
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  Json result;
  result["samples"] = comparison.sampling.samples;
  result["seed"] = comparison.sampling.seed.label;
  result["systems"] = Json::array();
  for (size_t system = 0; system < comparison.systems.size(); ++system) {
    Json entry = {{"system", comparison.systems[system]}};
    for (size_t metric = 0; metric < comparison.metrics.size(); ++metric) {
      entry[comparison.metrics[metric]] =
          score_json(comparison.scores[system][metric], comparison.scores[0][metric]);
    }
    result["systems"].push_back(entry);
  }
  for (size_t metric = 0; metric < comparison.metrics.size(); ++metric) {
    result["signatures"][comparison.metrics[metric]] = comparison.signatures[metric];
  }
  result["lower_is_better"] = comparison.lower_is_better;
  result["buckets"] = table_json(comparison.lengths, comparison.systems);
  if (comparison.frequencies)
    result["word_frequencies"] = table_json(*comparison.frequencies, comparison.systems);
  return result.dump(1) + '\n';
}

}  // namespace phraseq::score
