#include "core/analysis/attention.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"

namespace phraseq::analysis {
namespace {

struct PlaceName {
  AttentionPlace place;
  std::string_view name, title;
  std::string_view stack, module;  ///< of the recording modules' names
};

constexpr PlaceName kPlaces[] = {{AttentionPlace::kEncoderSelf,
                                  "encoder",
                                  "Encoder self-attention",
                                  "encoder.layers.",
                                  ".self_attn.weights"},
                                 {AttentionPlace::kDecoderSelf,
                                  "decoder",
                                  "Decoder self-attention",
                                  "decoder.layers.",
                                  ".self_attn.weights"},
                                 {AttentionPlace::kCross,
                                  "cross",
                                  "Cross-attention",
                                  "decoder.layers.",
                                  ".encoder_attn.weights"}};

const PlaceName& place_name(AttentionPlace place) {
  return *std::find_if(std::begin(kPlaces), std::end(kPlaces), [&](const PlaceName& entry) {
    return entry.place == place;
  });
}

constexpr PlaceName kEncoderPhrases = {AttentionPlace::kEncoderSelf,
                                       "encoder",
                                       "Encoder attention to phrases",
                                       "encoder.phrase_combinations.",
                                       ".phrase_attn.weights"};
constexpr PlaceName kDecoderPhrases = {AttentionPlace::kCross,
                                       "cross",
                                       "Decoder attention to phrases",
                                       "decoder.phrase_combinations.",
                                       ".phrase_attn.weights"};

constexpr std::string_view kRecurrentAttention = "decoder.attention.weights";

/// The layer, from 1, of a module at this place; nothing for other modules.
std::optional<int64_t> layer_of(const std::string& name, const PlaceName& place) {
  if (name == kRecurrentAttention && place.module == ".encoder_attn.weights")
    return 1;
  if (!name.starts_with(place.stack) || !name.ends_with(place.module))
    return std::nullopt;
  std::string_view number = name;
  number.remove_prefix(place.stack.size());
  number.remove_suffix(std::min(number.size(), place.module.size()));
  const auto layer = number_in<int64_t>(number);
  return layer ? std::optional(*layer + 1) : std::nullopt;
}

/// The n of each kind of n-gram: from the note, otherwise 1, 2 …
std::vector<int64_t> ngrams(const RecordedTensor& tensor, const char* note, int64_t kinds) {
  const auto found = tensor.notes.find(note);
  if (found != tensor.notes.end())
    return found->second;
  std::vector<int64_t> lengths(static_cast<size_t>(kinds));
  std::iota(lengths.begin(), lengths.end(), 1);
  return lengths;
}

AttentionWeights read_weights(const RecordedTensor& tensor, AttentionPlace place, int64_t layer) {
  const auto& shape = tensor.shape;
  if (shape.size() != 5) {
    throw FormatError(fmt::format(
        "{}: recorded with shape [{}], expected [query kinds, heads, queries, key kinds, keys]",
        tensor.name,
        fmt::join(shape, ", ")));
  }
  const std::string module = tensor.name.substr(0, tensor.name.rfind('.'));
  AttentionWeights weights{
      module, place, layer, shape[1], shape[2], shape[4], {}, {}, &tensor.values};
  weights.query_ngrams = ngrams(tensor, "query_ngrams", shape[0]);
  weights.key_ngrams = ngrams(tensor, "key_ngrams", shape[3]);
  return weights;
}

/// The weights of all modules at a place, by layer.
std::vector<AttentionWeights> weights_of(const RecordedSentence& sentence, const PlaceName& place) {
  std::vector<AttentionWeights> found;
  for (const auto& tensor : sentence.tensors) {
    if (const auto layer = layer_of(tensor.name, place))
      found.push_back(read_weights(tensor, place.place, *layer));
  }
  std::sort(found.begin(), found.end(), [](const AttentionWeights& a, const AttentionWeights& b) {
    return a.layer < b.layer;
  });
  return found;
}

}  // namespace

AttentionPlace attention_place(std::string_view name) {
  for (const auto& entry : kPlaces) {
    if (entry.name == name)
      return entry.place;
  }
  throw UsageError(
      fmt::format("'{}' is not an attention: expected encoder, decoder or cross", name));
}

std::string_view to_string(AttentionPlace place) { return place_name(place).name; }

std::string_view title_of(AttentionPlace place) { return place_name(place).title; }

float AttentionWeights::at(
    size_t query_kind, int64_t head, int64_t query, size_t key_kind, int64_t key) const {
  const auto row = (static_cast<int64_t>(query_kind) * heads + head) * queries + query;
  const auto column = static_cast<int64_t>(key_kind) * keys + key;
  return (
      *values)[static_cast<size_t>(row * static_cast<int64_t>(key_ngrams.size()) * keys + column)];
}

std::vector<AttentionWeights> attention_weights(const RecordedSentence& sentence,
                                                AttentionPlace place) {
  return weights_of(sentence, place_name(place));
}

std::vector<AttentionWeights> phrase_attention_weights(const RecordedSentence& sentence,
                                                       AttentionPlace place) {
  return weights_of(sentence,
                    place == AttentionPlace::kEncoderSelf ? kEncoderPhrases : kDecoderPhrases);
}

}  // namespace phraseq::analysis
