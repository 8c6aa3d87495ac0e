#include "core/nn/transformer/layer_drop/layer_drop.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/base/text_fields.h"

namespace phraseq::nn {
namespace {

/// Parses a list of numbers, "0,2,4", and sorts it; nothing for any other text.
std::optional<std::vector<int64_t>> numbers_in(const std::string& list) {
  std::vector<int64_t> numbers;
  for (const std::string_view part : split_text(list, ",")) {
    const auto number = number_in<int64_t>(part);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool is_choice_of(const std::vector<int64_t>& numbers, int64_t layers) {
  return numbers.front() >= 0 && numbers.back() < layers &&
         std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

}  // namespace

void LayerDrop::describe(OptionTable& table, const std::string& stack) {
  table
      .field(stack + "-layerdrop",
             probability,
             fmt::format("LayerDrop probability for the {}: in training, each layer is left out of "
                         "a pass with this probability.",
                         stack))
      .in(0.0, 0.99);
  table
      .field(stack + "-layers-to-keep",
             layers_to_keep,
             fmt::format("Layers of the {} to build, comma-separated, from 0. Empty = all.", stack))
      .value_name("LAYERS");
}

void LayerDrop::check(std::vector<std::string>& found,
                      const std::string& stack,
                      int64_t layers) const {
  if (layers_to_keep.empty())
    return;
  const auto numbers = numbers_in(layers_to_keep);
  if (!numbers || !is_choice_of(*numbers, layers)) {
    found.push_back(fmt::format(
        "--{0}-layers-to-keep '{1}': expected different layers from 0 to {2}, such as 0,2,4; "
        "--{0}-layers is {3}",
        stack,
        layers_to_keep,
        layers - 1,
        layers));
  }
}

std::vector<int64_t> LayerDrop::kept(int64_t layers) const {
  if (!layers_to_keep.empty())
    return numbers_in(layers_to_keep).value_or(std::vector<int64_t>());
  std::vector<int64_t> all;
  for (int64_t layer = 0; layer < layers; ++layer) all.push_back(layer);
  return all;
}

bool LayerDrop::leaves_out(const std::string& parameter,
                           const std::string& stack,
                           int64_t layers) const {
  const std::string prefix = stack + ".layers.";
  if (layers_to_keep.empty() || !parameter.starts_with(prefix))
    return false;
  const size_t end = std::min(parameter.find('.', prefix.size()), parameter.size());
  const auto layer =
      number_in<int64_t>(std::string_view(parameter).substr(prefix.size(), end - prefix.size()));
  const auto used = kept(layers);
  return layer && *layer < layers && !std::binary_search(used.begin(), used.end(), *layer);
}

std::vector<bool> LayerDrop::of_pass(size_t layers, Context& context) const {
  std::vector<bool> computed(layers, true);
  if (probability <= 0 || !context.training())
    return computed;
  Random random(context.next_dropout_key());
  for (size_t layer = 0; layer < layers; ++layer) computed[layer] = random.uniform() >= probability;
  return computed;
}

}  // namespace phraseq::nn
