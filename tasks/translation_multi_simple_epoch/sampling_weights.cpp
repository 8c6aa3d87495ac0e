#include "tasks/translation_multi_simple_epoch/sampling_weights.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

constexpr double kMaxWeight = 1e100;  // finite when multiplied by a number of sentences

/// Converts a Python dictionary with single quotes to JSON.
std::string with_double_quotes(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// The entry of a pair; `weights` is an object.
JsonEntry entry_of(const JsonEntry& weights, const LanguagePair& pair, const std::string& place) {
  for (const std::string& name : {"main:" + pair.name(), pair.name()}) {
    if (weights.has(name))
      return weights.at(name);
  }
  std::vector<std::string> names;
  for (const auto& [name, weight] : weights.members()) names.push_back(name);
  throw UsageError(
      fmt::format("{}: no weight for {}; there are weights for {}",
                  place,
                  pair.name(),
                  names.empty() ? "no pair" : fmt::format("{}", fmt::join(names, ", "))),
      "Give a weight for each pair of --lang-pairs, or remove the pair from "
      "--lang-pairs.");
}

std::vector<double> weights_of(const JsonEntry& entry,
                               const std::string& place,
                               const std::vector<LanguagePair>& pairs) {
  std::vector<double> weights;
  for (const LanguagePair& pair : pairs) {
    const double weight = entry_of(entry, pair, place).number();
    if (!(weight > 0 && weight <= kMaxWeight)) {
      throw UsageError(fmt::format("{}: the weight of {} is {}, expected a number above 0 and at "
                                   "most {}",
                                   place,
                                   pair.name(),
                                   weight,
                                   kMaxWeight),
                       "Remove pairs that should not be used from --lang-pairs.");
    }
    weights.push_back(weight);
  }
  return weights;
}

/// Parses the user's weights; an error in them is a UsageError rather than a FormatError.
std::vector<double> given_weights(const std::string& text,
                                  const std::string& place,
                                  const std::vector<LanguagePair>& pairs) {
  try {
    const nlohmann::json json = parse_json(text, place);
    return weights_of(JsonEntry(json, place), place, pairs);
  } catch (const FormatError& problem) {
    throw UsageError(problem.message(),
                     "Expected a JSON object with a number for each pair of --lang-pairs: "
                     "{\"en-de\": 2, \"de-en\": 1}.");
  }
}

SamplingWeights fixed(std::vector<double> weights) {
  return [weights = std::move(weights)](std::span<const int64_t>) { return weights; };
}

}  // namespace

SamplingWeights sampling_weights(const MultilingualOptions& options,
                                 const std::vector<LanguagePair>& pairs) {
  if (!options.sampling_weights_from_file.empty()) {
    const std::string& file = options.sampling_weights_from_file;
    return fixed(given_weights(read_file(file), file, pairs));
  }
  if (!options.sampling_weights.empty()) {
    return fixed(
        given_weights(with_double_quotes(options.sampling_weights), "--sampling-weights", pairs));
  }
  if (options.sampling_method == SamplingMethod::kUniform)
    return uniform_weights;
  if (options.sampling_method == SamplingMethod::kTemperature) {
    return [temperature = options.sampling_temperature](std::span<const int64_t> sizes) {
      return temperature_weights(sizes, temperature);
    };
  }
  return {};
}

}  // namespace phraseq
