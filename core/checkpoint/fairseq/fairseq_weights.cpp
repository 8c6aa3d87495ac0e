#include "core/checkpoint/fairseq/fairseq_weights.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Rows of a table of learned positions before the first: padding's and those below it.
constexpr int64_t kPositionOffset = 2;

constexpr const char* kEncoderEmbedding = "encoder.embed_tokens.weight";
constexpr const char* kDecoderEmbedding = "decoder.embed_tokens.weight";
constexpr const char* kOutputProjection = "decoder.output_projection.weight";

/// One parameter of the model.
struct Wanted {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<std::string> same;  ///< other names under which the file may hold it
};

/// Lists the parameters of a Transformer with fairseq's options, or of one with recurrent units in
/// the decoder (`ssru_projection` is an option of that architecture alone).
class ParameterList {
 public:
  ParameterList(const json& options, int64_t source_vocabulary, int64_t target_vocabulary)
      : options_(options),
        has_encoder_(options.contains("encoder_layers")),
        encoder_width_(has_encoder_ ? size("encoder_embed_dim") : 0),
        decoder_width_(size("decoder_embed_dim")) {
    add_embeddings(source_vocabulary, target_vocabulary);
    if (has_encoder_)
      add_stack("encoder", encoder_width_, size("max_source_positions"));
    add_stack("decoder", decoder_width_, size("max_target_positions"));
  }

  const std::vector<Wanted>& wanted() const { return wanted_; }

 private:
  int64_t size(const std::string& name) const { return options_.at(name).get<int64_t>(); }
  bool is_on(const std::string& name) const { return options_.value(name, false); }

  void add_embeddings(int64_t source, int64_t target) {
    if (is_on("share_all_embeddings")) {
      wanted_.push_back(
          {kEncoderEmbedding, {source, encoder_width_}, {kDecoderEmbedding, kOutputProjection}});
      return;
    }
    if (has_encoder_)
      wanted_.push_back({kEncoderEmbedding, {source, encoder_width_}, {}});
    if (is_on("share_decoder_input_output_embed")) {
      wanted_.push_back({kDecoderEmbedding, {target, decoder_width_}, {kOutputProjection}});
    } else {
      wanted_.push_back({kDecoderEmbedding, {target, decoder_width_}, {}});
      wanted_.push_back({kOutputProjection, {target, decoder_width_}, {}});
    }
  }

  void add_stack(const std::string& stack, int64_t width, int64_t positions) {
    if (options_.at("pos") == "learned") {
      wanted_.push_back(
          {stack + ".embed_positions.weight", {positions + kPositionOffset, width}, {}});
    }
    if (options_.at("embed_norm") != "no")
      add_norm(stack + ".layernorm_embedding", width);
    for (int64_t i = 0; i < size(stack + "_layers"); ++i) {
      add_layer(fmt::format("{}.layers.{}.", stack, i),
                width,
                size(stack + "_ffn_embed_dim"),
                stack == "decoder" && has_encoder_);
    }
    if (is_on(stack + "_normalize_before") && !is_on("no_" + stack + "_final_norm"))
      add_norm(stack + ".layer_norm", width);
  }

  void add_layer(const std::string& layer, int64_t width, int64_t hidden, bool attends_to_source) {
    if (attends_to_source && options_.contains("ssru_projection")) {
      add_recurrent_unit(layer + "self_attn", width);
    } else {
      add_attention(layer + "self_attn", width, width);
    }
    add_norm(layer + "self_attn_layer_norm", width);
    if (attends_to_source) {
      add_attention(layer + "encoder_attn", width, encoder_width_);
      add_norm(layer + "encoder_attn_layer_norm", width);
    }
    add_linear(layer + "fc1", hidden, width, options_.value("ffn_bias1", true));
    add_linear(layer + "fc2", width, hidden, options_.value("ffn_bias2", true));
    add_norm(layer + "final_layer_norm", width);
  }

  void add_attention(const std::string& name, int64_t width, int64_t key_width) {
    const bool biases = options_.value("attn_bias", true);
    add_linear(name + ".q_proj", width, width, biases);
    add_linear(name + ".k_proj", width, key_width, biases);
    add_linear(name + ".v_proj", width, key_width, biases);
    add_linear(name + ".out_proj", width, width, biases);
  }

  /// The decoder's of the architecture `ssru_transformer`.
  void add_recurrent_unit(const std::string& name, int64_t width) {
    wanted_.push_back({name + ".x_proj.weight", {width, width}, {}});
    add_linear(name + ".f_proj", width, width);
    if (is_on("ssru_projection"))
      add_linear(name + ".out_proj", width, width);
  }

  void add_linear(const std::string& name, int64_t out, int64_t in, bool has_bias = true) {
    wanted_.push_back({name + ".weight", {out, in}, {}});
    if (has_bias)
      wanted_.push_back({name + ".bias", {out}, {}});
  }

  void add_norm(const std::string& name, int64_t width) {
    wanted_.push_back({name + ".weight", {width}, {}});
    wanted_.push_back({name + ".bias", {width}, {}});
  }

  const json& options_;
  bool has_encoder_;
  int64_t encoder_width_;
  int64_t decoder_width_;
  std::vector<Wanted> wanted_;
};

/// Buffers, and the second copies of parameters that fairseq keeps for its fast path.
bool is_ignored(std::string_view name) {
  constexpr std::array<std::string_view, 11> kEndings = {".version",
                                                         ".embed_positions._float_tensor",
                                                         ".embed_positions.weights",
                                                         ".in_proj_weight",
                                                         ".in_proj_bias",
                                                         ".out_proj_weight",
                                                         ".out_proj_bias",
                                                         ".fc1_weight",
                                                         ".fc1_bias",
                                                         ".fc2_weight",
                                                         ".fc2_bias"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Finds every wanted parameter and gathers what does not fit.
class Matcher {
 public:
  Matcher(std::span<const TensorView> weights, const std::string& path)
      : weights_(weights), path_(path) {
    for (const auto& tensor : weights) by_name_.emplace(tensor.name, &tensor);
  }

  void take(const Wanted& wanted) {
    const TensorView* found = nullptr;
    std::vector<std::string> names = {wanted.name};
    names.insert(names.end(), wanted.same.begin(), wanted.same.end());
    for (const auto& name : names) {
      const auto place = by_name_.find(name);
      seen_.insert(name);
      if (place == by_name_.end())
        continue;
      const TensorView* tensor = place->second;
      if (found == nullptr) {
        found = tensor;
      } else if (found->dtype != tensor->dtype ||
                 !std::ranges::equal(found->bytes, tensor->bytes)) {
        problems_.push_back(
            fmt::format("{} and {} differ, but the options share them", found->name, name));
      }
    }
    if (found == nullptr) {
      problems_.push_back(wanted.name + " is missing");
    } else {
      add(wanted, *found);
    }
  }

  /// Throws when anything did not fit, or is left over.
  std::vector<TensorView> finish() {
    for (const auto& tensor : weights_) {
      if (!seen_.contains(tensor.name) && !is_ignored(tensor.name)) {
        problems_.push_back(tensor.name + " is not a parameter of this model");
      }
    }
    if (problems_.empty())
      return std::move(taken_);
    throw FormatError(
        fmt::format("{}: the weights do not match the options and dictionaries:\n    {}",
                    path_,
                    fmt::join(problems_, "\n    ")));
  }

 private:
  void add(const Wanted& wanted, const TensorView& found) {
    if (found.shape != wanted.shape) {
      problems_.push_back(fmt::format("{} is [{}], not [{}]",
                                      found.name,
                                      fmt::join(found.shape, ", "),
                                      fmt::join(wanted.shape, ", ")));
    }
    if (!is_float(found.dtype)) {
      problems_.push_back(fmt::format("{} is {}", found.name, to_string(found.dtype)));
    }
    taken_.push_back(found);
    taken_.back().name = wanted.name;
  }

  std::span<const TensorView> weights_;
  const std::string& path_;
  std::map<std::string_view, const TensorView*> by_name_;
  std::set<std::string> seen_;
  std::vector<TensorView> taken_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<TensorView> weights_from_fairseq(std::span<const TensorView> weights,
                                             const std::string& path,
                                             const json& options,
                                             int64_t source_vocabulary,
                                             int64_t target_vocabulary) {
  const ParameterList parameters(options, source_vocabulary, target_vocabulary);
  Matcher matcher(weights, path);
  for (const auto& wanted : parameters.wanted()) matcher.take(wanted);
  return matcher.finish();
}

}  // namespace phraseq
