#include "core/analysis/recorded_plot.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace phraseq::analysis {
namespace {

std::vector<std::string> numbers(int64_t count) {
  std::vector<std::string> labels;
  for (int64_t i = 1; i <= count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

plot::HeatMapAxis axis_of(const RecordedSentence& sentence, int64_t length) {
  const auto size = static_cast<size_t>(length);
  if (size == sentence.source.size())
    return {"source", sentence.source, {}};
  if (size == sentence.target.size())
    return {"target", sentence.target, {}};
  return {"", numbers(length), {}};
}

UsageError does_not_fit(const std::vector<const RecordedTensor*>& tensors) {
  std::vector<std::string> found;
  for (const auto* tensor : tensors)
    found.push_back(fmt::format("{} [{}]", tensor->name, fmt::join(tensor->shape, ", ")));
  return UsageError(
      tensors.empty() ? "--plot: nothing of this name was recorded"
                      : fmt::format("--plot: no one heat map shows {}", fmt::join(found, ", ")),
      "choose with --tensors: one of two dimensions, or several of one and the same length");
}

bool are_rows(const std::vector<const RecordedTensor*>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](const RecordedTensor* tensor) {
    return tensor->shape.size() == 1 && tensor->shape == tensors.front()->shape;
  });
}

}  // namespace

plot::HeatMap recorded_map(const RecordedSentence& sentence,
                           const std::vector<std::string>& wanted) {
  std::vector<const RecordedTensor*> tensors;
  for (const auto& tensor : sentence.tensors) {
    if (is_wanted(tensor.name, wanted))
      tensors.push_back(&tensor);
  }
  plot::HeatMap map;
  if (tensors.size() == 1 && tensors.front()->shape.size() == 2) {
    map.title = tensors.front()->name;
    map.rows = {"", numbers(tensors.front()->shape[0]), {}};
    map.columns = axis_of(sentence, tensors.front()->shape[1]);
  } else if (!tensors.empty() && are_rows(tensors)) {
    map.title = fmt::format("Sentence {}", sentence.id + 1);
    for (const auto* tensor : tensors) map.rows.labels.push_back(tensor->name);
    map.columns = axis_of(sentence, tensors.front()->shape[0]);
  } else {
    throw does_not_fit(tensors);
  }
  for (const auto* tensor : tensors)
    map.values.insert(map.values.end(), tensor->values.begin(), tensor->values.end());
  if (!map.values.empty()) {
    const auto [low, high] = std::minmax_element(map.values.begin(), map.values.end());
    map.lowest = std::min(0.0, *low);
    map.highest = std::max(*high, map.lowest + 1e-9);
  }
  return map;
}

}  // namespace phraseq::analysis
