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

/// The groups of a tensor's axis, from its notes: the lengths of phrases.
std::vector<plot::LabelGroup> groups_of(const RecordedTensor& tensor) {
  std::vector<plot::LabelGroup> groups;
  const auto lengths = tensor.notes.find("phrase_lengths");
  if (lengths == tensor.notes.end())
    return groups;
  for (const int64_t length : lengths->second) groups.push_back({"", static_cast<size_t>(length)});
  return groups;
}

/// The parts that all names share: a number of leading bytes, up to and including a point, and a
/// number of trailing bytes, beginning at a point.
struct CommonEnds {
  explicit CommonEnds(const std::vector<const RecordedTensor*>& tensors) {
    const std::string& first = tensors.front()->name;
    size_t same = first.size(), same_end = first.size();
    for (const auto* tensor : tensors) {
      const std::string& name = tensor->name;
      const auto begin = std::mismatch(first.begin(), first.end(), name.begin(), name.end());
      const auto end = std::mismatch(first.rbegin(), first.rend(), name.rbegin(), name.rend());
      same = std::min(same, static_cast<size_t>(begin.first - first.begin()));
      same_end = std::min(same_end, static_cast<size_t>(end.first - first.rbegin()));
    }
    const size_t point = first.rfind('.', same == 0 ? 0 : same - 1);
    front = same == 0 || point == std::string::npos ? 0 : point + 1;
    const size_t last_point = first.find('.', first.size() - same_end);
    back = last_point == std::string::npos ? 0 : first.size() - last_point;
  }

  size_t front = 0, back = 0;
};

/// Labels the rows, one per tensor, with the part of its name that differs from the others.
void label_rows(const RecordedSentence& sentence,
                const std::vector<const RecordedTensor*>& tensors,
                plot::HeatMap& map) {
  const std::string& first = tensors.front()->name;
  map.title = fmt::format("Sentence {}: {}", sentence.id + 1, first);
  map.rows.labels = {""};
  if (tensors.size() == 1)
    return;
  const CommonEnds common(tensors);
  map.title = fmt::format("Sentence {}: {}*{}",
                          sentence.id + 1,
                          first.substr(0, common.front),
                          first.substr(first.size() - common.back));
  map.rows.labels.clear();
  for (const auto* tensor : tensors) {
    const size_t length = tensor->name.size() - common.front - common.back;
    map.rows.labels.push_back(tensor->name.substr(common.front, length));
  }
}

UsageError does_not_fit(const std::vector<const RecordedTensor*>& tensors) {
  std::vector<std::string> found;
  for (const auto* tensor : tensors)
    found.push_back(fmt::format("{} [{}]", tensor->name, fmt::join(tensor->shape, ", ")));
  return UsageError(tensors.empty() ? "--plot: no tensor of this name was recorded"
                                    : fmt::format("--plot: {} cannot be drawn as one heat map",
                                                  fmt::join(found, ", ")),
                    "Select with --tensors: one two-dimensional tensor, or several one-dimensional "
                    "tensors of equal length.");
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
    label_rows(sentence, tensors, map);
    map.columns = axis_of(sentence, tensors.front()->shape[0]);
    map.columns.groups = groups_of(*tensors.front());
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
