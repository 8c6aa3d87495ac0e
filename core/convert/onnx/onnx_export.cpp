#include "core/convert/onnx/onnx_export.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/convert/export_folder.h"
#include "core/convert/onnx/onnx_graph.h"
#include "core/convert/transposed.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// The score of a key that must not be attended to; its softmax is zero.
constexpr float kHiddenScore = -1e9F;

/// The embedding and the layers of one stack, "encoder" or "decoder".
class OnnxStack {
 public:
  OnnxStack(const ExportModel& model, const std::string& stack)
      : model_(model),
        stack_(stack),
        graph_(stack),
        width_(model.size(stack + "_embed_dim")),
        heads_(model.size(stack + "_attention_heads")) {}

 protected:
  bool is_pre_norm() const { return model_.is_on((stack_ + "_normalize_before").c_str()); }

  /// One of our parameters; added to the file when it is first used.
  std::string parameter(const std::string& ours, const std::vector<int64_t>& shape) {
    return graph_.constant(ours, shape, model_.values(ours, shape));
  }

  /// x Wᵀ + b, with our W [out, in] stored as [in, out].
  std::string linear(const std::string& x, const std::string& ours, int64_t out, int64_t in) {
    const auto weight = transposed(model_.values(ours + ".weight", {out, in}), out, in);
    const std::string product =
        graph_.node("MatMul", {x, graph_.constant(ours + ".weight", {in, out}, weight)});
    return model_.has(ours + ".bias")
               ? graph_.node("Add", {product, parameter(ours + ".bias", {out})})
               : product;
  }

  std::string norm(const std::string& x, const std::string& ours) {
    const auto epsilon = static_cast<float>(model_.number("norm_eps"));
    return graph_.node(
        "LayerNormalization",
        {x, parameter(ours + ".weight", {width_}), parameter(ours + ".bias", {width_})},
        {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
  }

  /// The length of ids [batch, length], as a list of one number.
  std::string length_of(const std::string& ids) {
    return graph_.node("Shape", {ids}, {{"start", int64_t{1}}, {"end", int64_t{2}}});
  }

  /// Embedded ids [batch, length] → [batch, length, width].
  std::string embed(const std::string& ids, const std::string& matrix) {
    std::string x = graph_.node("Gather", {matrix, ids}, {{"axis", int64_t{0}}});
    if (!model_.is_on("no_scale_embedding"))
      x = graph_.node("Mul", {x, graph_.scalar(std::sqrt(static_cast<float>(width_)))});
    if (model_.choice("pos") != "none")
      x = graph_.node("Add", {x, positions(ids)});
    return model_.choice("embed_norm") == "no" ? x : norm(x, stack_ + ".layernorm_embedding");
  }

  std::string positions(const std::string& ids) {
    const int64_t count = model_.position_count(stack_);
    const std::string table =
        graph_.constant(stack_ + ".positions", {count, width_}, model_.positions(stack_, count));
    const std::string first = graph_.constant(std::vector<int64_t>{0});
    return graph_.node("Slice", {table, first, length_of(ids), first});
  }

  /// What is added to scores of keys: kHiddenScore at padding, [batch, 1, 1, length].
  std::string padding_bias(const std::string& ids) {
    const std::string is_padding = graph_.node("Equal", {ids, graph_.scalar(int64_t{kPad})});
    const std::string bias =
        graph_.node("Where", {is_padding, graph_.scalar(kHiddenScore), graph_.scalar(0.0F)});
    return graph_.node("Unsqueeze", {bias, graph_.constant(std::vector<int64_t>{1, 2})});
  }

  /// [batch, length, width] → [batch, heads, length, width / heads] in the order `axes`.
  std::string split_heads(const std::string& x, std::vector<int64_t> axes) {
    const std::string shape = graph_.constant(std::vector<int64_t>{0, 0, heads_, width_ / heads_});
    return graph_.node("Transpose", {graph_.node("Reshape", {x, shape})}, {{"perm", axes}});
  }

  /// Multi-head attention of x [batch, length, width] to memory [batch, keys, key width].
  std::string attention(const std::string& x,
                        const std::string& memory,
                        int64_t key_width,
                        const std::string& bias,
                        const std::string& ours) {
    const std::string q = split_heads(linear(x, ours + ".q_proj", width_, width_), {0, 2, 1, 3});
    const std::string k =
        split_heads(linear(memory, ours + ".k_proj", width_, key_width), {0, 2, 3, 1});
    const std::string v =
        split_heads(linear(memory, ours + ".v_proj", width_, key_width), {0, 2, 1, 3});
    const float scale = 1 / std::sqrt(static_cast<float>(width_ / heads_));
    const std::string scores =
        graph_.node("Mul", {graph_.node("MatMul", {q, k}), graph_.scalar(scale)});
    const std::string weights =
        graph_.node("Softmax", {graph_.node("Add", {scores, bias})}, {{"axis", int64_t{-1}}});
    const std::string joined = graph_.node("Transpose",
                                           {graph_.node("MatMul", {weights, v})},
                                           {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    const std::string shape = graph_.constant(std::vector<int64_t>{0, 0, width_});
    return linear(graph_.node("Reshape", {joined, shape}), ours + ".out_proj", width_, width_);
  }

  std::string activation(const std::string& x) {
    const std::string function = model_.choice("activation_fn");
    if (function == "relu")
      return graph_.node("Relu", {x});
    if (function == "swish")
      return graph_.node("Mul", {x, graph_.node("Sigmoid", {x})});
    // gelu: x · (1 + erf(x / √2)) / 2
    const std::string scaled =
        graph_.node("Mul", {x, graph_.scalar(1 / std::numbers::sqrt2_v<float>)});
    const std::string sum = graph_.node("Add", {graph_.node("Erf", {scaled}), graph_.scalar(1.0F)});
    return graph_.node("Mul", {graph_.node("Mul", {x, sum}), graph_.scalar(0.5F)});
  }

  std::string feed_forward(const std::string& x, const std::string& layer) {
    const int64_t hidden = model_.size(stack_ + "_ffn_embed_dim");
    return linear(
        activation(linear(x, layer + "fc1", hidden, width_)), layer + "fc2", width_, hidden);
  }

  /// x + f(x) with its norm before f or after the sum.
  template <class SubLayer>
  std::string residual(const std::string& x, const std::string& norm_name, const SubLayer& f) {
    const std::string result = f(is_pre_norm() ? norm(x, norm_name) : x);
    const std::string sum = graph_.node("Add", {x, result});
    return is_pre_norm() ? sum : norm(sum, norm_name);
  }

  std::string layer_name(int64_t number) const {
    return fmt::format("{}.layers.{}.", stack_, number);
  }

  const ExportModel& model_;
  std::string stack_;
  OnnxGraph graph_;
  int64_t width_;
  int64_t heads_;
};

class OnnxEncoder : public OnnxStack {
 public:
  explicit OnnxEncoder(const ExportModel& model) : OnnxStack(model, "encoder") {}

  std::string file() {
    const std::string source = graph_.input("source", OnnxType::kInt64, {"batch", "source_length"});
    const std::string bias = padding_bias(source);
    std::string x =
        embed(source, parameter("encoder.embed_tokens.weight", {model_.source().size(), width_}));
    for (int64_t i = 0; i < model_.size("encoder_layers"); ++i) x = layer(x, bias, layer_name(i));
    graph_.rename(is_pre_norm() ? norm(x, "encoder.layer_norm") : x, "memory");
    graph_.output("memory", OnnxType::kFloat, {"batch", "source_length", width_});
    return graph_.serialize();
  }

 private:
  std::string layer(const std::string& input, const std::string& bias, const std::string& ours) {
    const std::string x = residual(input, ours + "self_attn_layer_norm", [&](const std::string& h) {
      return attention(h, h, width_, bias, ours + "self_attn");
    });
    return residual(
        x, ours + "final_layer_norm", [&](const std::string& h) { return feed_forward(h, ours); });
  }
};

class OnnxDecoder : public OnnxStack {
 public:
  explicit OnnxDecoder(const ExportModel& model) : OnnxStack(model, "decoder") {}

  std::string file() {
    const int64_t memory_width = model_.size("encoder_embed_dim");
    const std::string target = graph_.input("target", OnnxType::kInt64, {"batch", "target_length"});
    const std::string source = graph_.input("source", OnnxType::kInt64, {"batch", "source_length"});
    const std::string memory =
        graph_.input("memory", OnnxType::kFloat, {"batch", "source_length", memory_width});
    const std::string self_bias = causal_bias(target), source_bias = padding_bias(source);
    const bool shares_all = model_.is_on("share_all_embeddings");
    const std::string matrix =
        parameter(shares_all ? "encoder.embed_tokens.weight" : "decoder.embed_tokens.weight",
                  {model_.target().size(), width_});
    std::string x = embed(target, matrix);
    for (int64_t i = 0; i < model_.size("decoder_layers"); ++i) {
      const std::string ours = layer_name(i);
      x = residual(x, ours + "self_attn_layer_norm", [&](const std::string& h) {
        return attention(h, h, width_, self_bias, ours + "self_attn");
      });
      x = residual(x, ours + "encoder_attn_layer_norm", [&](const std::string& h) {
        return attention(h, memory, memory_width, source_bias, ours + "encoder_attn");
      });
      x = residual(x, ours + "final_layer_norm", [&](const std::string& h) {
        return feed_forward(h, ours);
      });
    }
    graph_.rename(project(is_pre_norm() ? norm(x, "decoder.layer_norm") : x, matrix), "scores");
    graph_.output("scores", OnnxType::kFloat, {"batch", "target_length", model_.target().size()});
    return graph_.serialize();
  }

 private:
  /// kHiddenScore for keys after the query, [length, length].
  std::string causal_bias(const std::string& ids) {
    const std::string length =
        graph_.node("Squeeze", {length_of(ids), graph_.constant(std::vector<int64_t>{0})});
    const std::string numbers =
        graph_.node("Range", {graph_.scalar(int64_t{0}), length, graph_.scalar(int64_t{1})});
    const auto unsqueeze = [&](int64_t axis) {
      return graph_.node("Unsqueeze", {numbers, graph_.constant(std::vector<int64_t>{axis})});
    };
    const std::string is_behind = graph_.node("Greater", {unsqueeze(0), unsqueeze(1)});
    return graph_.node("Where", {is_behind, graph_.scalar(kHiddenScore), graph_.scalar(0.0F)});
  }

  /// The scores of the symbols, hidden · matrixᵀ + bias.
  std::string project(const std::string& hidden, const std::string& embedding) {
    const int64_t symbols = model_.target().size();
    const bool is_shared =
        model_.is_on("share_all_embeddings") || model_.is_on("share_decoder_input_output_embed");
    const std::string matrix =
        is_shared ? embedding : parameter("decoder.output_projection.weight", {symbols, width_});
    const std::string columns =
        graph_.node("Transpose", {matrix}, {{"perm", std::vector<int64_t>{1, 0}}});
    const std::string scores = graph_.node("MatMul", {hidden, columns});
    const auto bias = model_.output_bias();
    if (bias.empty())
      return scores;
    return graph_.node("Add", {scores, graph_.constant("decoder.output_bias", {symbols}, bias)});
  }
};

json onnx_config(const ExportModel& model) {
  return {{"bos_token_id", kBos},
          {"pad_token_id", kPad},
          {"eos_token_id", kEos},
          {"unk_token_id", kUnk},
          {"decoder_start_token_id", model.choice("start_token") == "eos" ? kEos : kBos},
          {"source_bos", model.is_on("source_bos")},
          {"source_eos", model.is_on("source_eos")},
          {"max_source_positions", model.position_count("encoder")},
          {"max_target_positions", model.position_count("decoder")},
          {"source_lang", model.text("source_language")},
          {"target_lang", model.text("target_language")}};
}

json symbol_list(const Dictionary& dictionary) {
  json symbols = json::array();
  for (int64_t id = 0; id < dictionary.size(); ++id) symbols.push_back(dictionary.symbol(id));
  return symbols;
}

}  // namespace

void export_to_onnx(const ExportModel& model, const std::string& folder) {
  model.require_transformer("onnx");
  model.require_none(model.text_problems(), "onnx");
  const std::string encoder = OnnxEncoder(model).file(), decoder = OnnxDecoder(model).file();
  ExportFolder out(folder);
  out.write("encoder.onnx", encoder);
  out.write("decoder.onnx", decoder);
  out.write_json("source_vocabulary.json", symbol_list(model.source()));
  out.write_json("target_vocabulary.json", symbol_list(model.target()));
  out.write_tokenizers(model);
  out.write_json("config.json", onnx_config(model));
  out.commit("config.json");
}

}  // namespace phraseq
