#include "core/score/compare/system_outputs.h"

#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq::score {
namespace {

bool is_file(const std::string& text) {
  std::error_code ignored;
  return text == "-" || std::filesystem::exists(text, ignored);
}

/// The length of "NAME=" in "NAME=FILE,FILE", or 0 without a name. A path before the '=' is not a
/// name.
size_t end_of_name(const std::string& text) {
  const size_t equals = text.find('=');
  return equals == std::string::npos || text.find_first_of(",/") < equals ? 0 : equals + 1;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean of a resample of column `sample`: as many values as there are outputs, drawn with
/// replacement.
double draw_mean(std::span<const BootstrappedScore> outputs,
                 size_t sample,
                 std::mt19937_64& random) {
  double sum = 0;
  for (size_t draw = 0; draw < outputs.size(); ++draw)
    sum += outputs[random() % outputs.size()].resampled[sample];
  return sum / static_cast<double>(outputs.size());
}

}  // namespace

SystemOutputs parse_system_outputs(const std::string& text) {
  if (is_file(text))
    return {text, {text}};
  const size_t begin = end_of_name(text);
  const auto files = split_text(std::string_view(text).substr(begin), ",");
  SystemOutputs system{begin > 0 ? text.substr(0, begin - 1) : text, {files.begin(), files.end()}};
  bool is_complete = !system.name.empty();
  for (const std::string& file : system.files) is_complete = is_complete && !file.empty();
  if (!is_complete) {
    throw UsageError(fmt::format("'{}': expected a file, or NAME=FILE,FILE,...", text),
                     "List the outputs of a system's seeds with commas and without spaces.");
  }
  return system;
}

std::vector<SystemOutputs> parse_systems(const std::vector<std::string>& texts) {
  std::vector<SystemOutputs> systems;
  for (const std::string& text : texts) {
    systems.push_back(parse_system_outputs(text));
    for (size_t earlier = 0; earlier + 1 < systems.size(); ++earlier) {
      if (systems[earlier].name == systems.back().name)
        throw UsageError(fmt::format("the system '{}' is given twice", systems.back().name),
                         "Give each system a name and files of its own.");
    }
  }
  return systems;
}

std::vector<std::string> all_files(const std::vector<SystemOutputs>& systems) {
  std::vector<std::string> files;
  for (const SystemOutputs& system : systems)
    files.insert(files.end(), system.files.begin(), system.files.end());
  return files;
}

ScoreInput first_outputs(const ScoreInput& input, const std::vector<SystemOutputs>& systems) {
  ScoreInput first{{}, input.references};
  size_t at = 0;
  for (const SystemOutputs& system : systems) {
    first.systems.push_back({system.name, input.systems[at].lines});
    at += system.files.size();
  }
  return first;
}

BootstrappedScore combine_outputs(std::span<const BootstrappedScore> outputs,
                                  std::mt19937_64& random) {
  if (outputs.size() == 1)
    return outputs.front();
  BootstrappedScore combined;
  for (const BootstrappedScore& output : outputs) combined.score += output.score;
  combined.score /= static_cast<double>(outputs.size());
  for (size_t sample = 0; sample < outputs.front().resampled.size(); ++sample)
    combined.resampled.push_back(draw_mean(outputs, sample, random));
  return combined;
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2)
    return 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace phraseq::score
