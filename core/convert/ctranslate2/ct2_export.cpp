#include "core/convert/ctranslate2/ct2_export.h"

#include <map>

#include <fmt/format.h>

#include "core/convert/export_folder.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kSpecification = "TransformerSpec";
constexpr uint32_t kRevision = 7;
/// CTranslate2's own epsilon, which config.json leaves out.
constexpr double kDefaultEpsilon = 1e-5;
constexpr const char* kPadding = "<blank>";  ///< CTranslate2's name

/// Values of CTranslate2's enumeration Activation.
const std::map<std::string, int8_t> kActivations = {{"relu", 0}, {"swish", 2}, {"gelu", 3}};

void append(std::vector<float>& all, const std::vector<float>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

class Ct2Exporter {
 public:
  explicit Ct2Exporter(const ExportModel& model) : model_(model) {}

  Ct2Variables run() {
    model_.require_transformer("ctranslate2");
    model_.require_none(problems(), "ctranslate2");
    add_stack("encoder", "encoder/embeddings_0/weight", model_.source().size());
    variables_.add_int8("encoder/embeddings_merge", 0);
    variables_.add_int8("encoder/multi_query_attention", 0);
    add_stack("decoder", "decoder/embeddings/weight", model_.target().size());
    add_decoder_settings();
    add_projection();
    return std::move(variables_);
  }

 private:
  std::vector<std::string> problems() const {
    std::vector<std::string> found = model_.text_problems();
    if (model_.source().contains(kPadding) || model_.target().contains(kPadding))
      found.push_back(fmt::format("the symbol '{}', which is CTranslate2's padding", kPadding));
    if (model_.size("encoder_embed_dim") != model_.size("decoder_embed_dim"))
      found.emplace_back("encoder and decoder of different widths");
    if (model_.size("encoder_layers") == 0)
      found.emplace_back("an encoder without layers");
    if (!kActivations.contains(model_.choice("activation_fn")))
      found.push_back("--activation-fn " + model_.choice("activation_fn"));
    return found;
  }

  int64_t width() const { return model_.size("encoder_embed_dim"); }

  void add(const std::string& name, const std::string& ours, std::vector<int64_t> shape) {
    const auto values = model_.values(ours, shape);
    variables_.add_floats(name, std::move(shape), values);
  }

  void add_norm(const std::string& name, const std::string& ours) {
    add(name + "/gamma", ours + ".weight", {width()});
    add(name + "/beta", ours + ".bias", {width()});
  }

  /// Projections one below the other; those without a bias leave it out.
  void add_linear(const std::string& name,
                  std::initializer_list<std::string> ours,
                  int64_t out,
                  int64_t in) {
    std::vector<float> weights, biases;
    for (const std::string& projection : ours) {
      append(weights, model_.values(projection + ".weight", {out, in}));
      if (model_.has(projection + ".bias"))
        append(biases, model_.values(projection + ".bias", {out}));
    }
    const auto rows = out * static_cast<int64_t>(ours.size());
    variables_.add_floats(name + "/weight", {rows, in}, weights);
    if (!biases.empty())
      variables_.add_floats(name + "/bias", {rows}, biases);
  }

  void add_stack(const std::string& stack, const std::string& embedding, int64_t symbols) {
    const auto int8 = [&](const char* name, int64_t value) {
      variables_.add_int8(stack + name, static_cast<int8_t>(value));
    };
    int8("/activation", kActivations.at(model_.choice("activation_fn")));
    int8("/pre_norm", model_.is_on((stack + "_normalize_before").c_str()) ? 1 : 0);
    int8("/scale_embeddings", model_.is_on("no_scale_embedding") ? 0 : 1);
    variables_.add_int16(stack + "/num_heads",
                         static_cast<int16_t>(model_.size(stack + "_attention_heads")));
    const bool shared = stack == "decoder" && model_.is_on("share_all_embeddings");
    add(embedding, (shared ? "encoder" : stack) + ".embed_tokens.weight", {symbols, width()});
    add_positions(stack);
    if (model_.choice("embed_norm") != "no")
      add_norm(stack + "/layernorm_embedding", stack + ".layernorm_embedding");
    for (int64_t i = 0; i < model_.size(stack + "_layers"); ++i)
      add_layer(
          stack, fmt::format("{}/layer_{}", stack, i), fmt::format("{}.layers.{}.", stack, i));
    if (model_.is_on((stack + "_normalize_before").c_str()))
      add_norm(stack + "/layer_norm", stack + ".layer_norm");
  }

  void add_positions(const std::string& stack) {
    const int64_t count = model_.position_count(stack);
    variables_.add_floats(
        stack + "/position_encodings/encodings", {count, width()}, model_.positions(stack, count));
  }

  void add_layer(const std::string& stack, const std::string& name, const std::string& ours) {
    const std::string attention = ours + "self_attn.";
    add_norm(name + "/self_attention/layer_norm", ours + "self_attn_layer_norm");
    add_linear(name + "/self_attention/linear_0",
               {attention + "q_proj", attention + "k_proj", attention + "v_proj"},
               width(),
               width());
    add_linear(name + "/self_attention/linear_1", {attention + "out_proj"}, width(), width());
    if (stack == "decoder")
      add_source_attention(name + "/attention", ours);
    const int64_t hidden = model_.size(stack + "_ffn_embed_dim");
    add_norm(name + "/ffn/layer_norm", ours + "final_layer_norm");
    add_linear(name + "/ffn/linear_0", {ours + "fc1"}, hidden, width());
    add_linear(name + "/ffn/linear_1", {ours + "fc2"}, width(), hidden);
  }

  void add_source_attention(const std::string& name, const std::string& ours) {
    const std::string attention = ours + "encoder_attn.";
    add_norm(name + "/layer_norm", ours + "encoder_attn_layer_norm");
    add_linear(name + "/linear_0", {attention + "q_proj"}, width(), width());
    add_linear(name + "/linear_1", {attention + "k_proj", attention + "v_proj"}, width(), width());
    add_linear(name + "/linear_2", {attention + "out_proj"}, width(), width());
  }

  void add_decoder_settings() {
    for (const char* name :
         {"alibi", "alibi_use_positive_positions", "scale_alibi", "start_from_zero_embedding"})
      variables_.add_int8(fmt::format("decoder/{}", name), 0);
    variables_.add_int16("decoder/alignment_heads", 1);
    variables_.add_int16("decoder/alignment_layer", -1);
  }

  void add_projection() {
    const char* weight = "decoder.output_projection.weight";
    if (model_.is_on("share_all_embeddings")) {
      weight = "encoder.embed_tokens.weight";
    } else if (model_.is_on("share_decoder_input_output_embed")) {
      weight = "decoder.embed_tokens.weight";
    }
    const int64_t symbols = model_.target().size();
    add("decoder/projection/weight", weight, {symbols, width()});
    if (const auto bias = model_.output_bias(); !bias.empty())
      variables_.add_floats("decoder/projection/bias", {symbols}, bias);
  }

  const ExportModel& model_;
  Ct2Variables variables_;
};

json ct2_config(const ExportModel& model) {
  const double epsilon = model.number("norm_eps");
  return {{"add_source_bos", model.is_on("source_bos")},
          {"add_source_eos", model.is_on("source_eos")},
          {"bos_token", "<s>"},
          {"decoder_start_token", model.choice("start_token") == "eos" ? "</s>" : "<s>"},
          {"eos_token", "</s>"},
          {"layer_norm_epsilon", epsilon == kDefaultEpsilon ? json() : json(epsilon)},
          {"multi_query_attention", false},
          {"unk_token", "<unk>"}};
}

json ct2_symbols(const Dictionary& dictionary) {
  json symbols = json::array();
  for (int64_t id = 0; id < dictionary.size(); ++id)
    symbols.push_back(id == kPad ? kPadding : dictionary.symbol(id));
  return symbols;
}

}  // namespace

Ct2Variables ct2_variables_of(const ExportModel& model) { return Ct2Exporter(model).run(); }

void export_to_ctranslate2(const ExportModel& model, const std::string& folder) {
  const Ct2Variables variables = ct2_variables_of(model);
  ExportFolder out(folder);
  out.write("model.bin", variables.serialize(kSpecification, kRevision));
  if (model.source() == model.target()) {
    out.write_json("shared_vocabulary.json", ct2_symbols(model.source()));
  } else {
    out.write_json("source_vocabulary.json", ct2_symbols(model.source()));
    out.write_json("target_vocabulary.json", ct2_symbols(model.target()));
  }
  out.write_tokenizers(model);
  out.write_json("config.json", ct2_config(model));
  out.commit("config.json");
}

}  // namespace phraseq
