#include "core/convert/hf/marian_mt_export.h"

#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>

#include "core/checkpoint/checkpoint_writer.h"
#include "core/convert/export_folder.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Built into MarianMTModel.
constexpr double kMarianEpsilon = 1e-5;

class MarianExporter {
 public:
  explicit MarianExporter(const ExportModel& model)
      : model_(model),
        width_(model.size("encoder_embed_dim")),
        positions_(std::max(model.position_count("encoder"), model.position_count("decoder"))) {
    model_.require_transformer("hf");
    model_.require_none(problems(), "hf");
  }

  std::vector<TensorView> tensors() {
    add_embeddings();
    for (const char* stack : {"encoder", "decoder"}) {
      add_tensor(fmt::format("model.{}.embed_positions.weight", stack),
                 {positions_, width_},
                 model_.positions(stack, positions_));
      for (int64_t i = 0; i < model_.size(std::string(stack) + "_layers"); ++i)
        add_layer(stack, fmt::format("{}.layers.{}.", stack, i));
    }
    auto bias = model_.output_bias();
    bias.resize(static_cast<size_t>(model_.target().size()), 0.0F);
    add_tensor("final_logits_bias", {1, model_.target().size()}, std::move(bias));
    return tensors_;
  }

  json config() const {
    json config = {{"architectures", {"MarianMTModel"}},
                   {"model_type", "marian"},
                   {"is_encoder_decoder", true},
                   {"d_model", width_},
                   {"vocab_size", model_.source().size()},
                   {"decoder_vocab_size", model_.target().size()},
                   {"max_position_embeddings", positions_},
                   {"static_position_embeddings", true},
                   {"activation_function", model_.choice("activation_fn")},
                   {"scale_embedding", !model_.is_on("no_scale_embedding")},
                   {"share_encoder_decoder_embeddings", shares_all()},
                   {"tie_word_embeddings", shares_output()},
                   {"torch_dtype", "float32"}};
    for (const char* stack : {"encoder", "decoder"}) {
      const std::string name = stack;
      config[name + "_layers"] = model_.size(name + "_layers");
      config[name + "_ffn_dim"] = model_.size(name + "_ffn_embed_dim");
      config[name + "_attention_heads"] = model_.size(name + "_attention_heads");
    }
    config.update(special_ids());
    return config;
  }

  json generation_config() const {
    json config = special_ids();
    config.update({{"bad_words_ids", {{kPad}}},
                   {"early_stopping", true},
                   {"length_penalty", 1.0},
                   {"max_length", std::min<int64_t>(positions_, 512)},
                   {"num_beams", 5}});
    return config;
  }

  json tokenizer_config() const {
    return {{"tokenizer_class", "MarianTokenizer"},
            {"source_lang", model_.text("source_language")},
            {"target_lang", model_.text("target_language")},
            {"separate_vocabs", !shares_all()},
            {"model_max_length", positions_},
            {"bos_token", "<s>"},
            {"unk_token", "<unk>"},
            {"eos_token", "</s>"},
            {"pad_token", "<pad>"}};
  }

  bool shares_all() const { return model_.is_on("share_all_embeddings"); }

 private:
  bool shares_output() const {
    return shares_all() || model_.is_on("share_decoder_input_output_embed");
  }

  std::vector<std::string> problems() const {
    std::vector<std::string> found = model_.text_problems();
    const auto require = [&](bool fine, const std::string& problem) {
      if (!fine)
        found.push_back(problem);
    };
    require(width_ == model_.size("decoder_embed_dim"), "encoder and decoder of different widths");
    for (const char* name : {"encoder_normalize_before", "decoder_normalize_before", "source_bos"})
      require(!model_.is_on(name), fmt::format("{} = yes", name));
    require(model_.is_on("source_eos"), "source_eos = no");
    require(model_.choice("embed_norm") == "no", "embed_norm = " + model_.choice("embed_norm"));
    require(model_.number("norm_eps") == kMarianEpsilon,
            fmt::format("norm_eps = {}", model_.number("norm_eps")));
    require(model_.choice("pos") != "learned" ||
                model_.position_count("encoder") == model_.position_count("decoder"),
            "learned positions of different numbers");
    require(!model_.source_tokenizer().empty(), "text without a SentencePiece model");
    return found;
  }

  json special_ids() const {
    const int64_t start = model_.choice("start_token") == "eos" ? kEos : kBos;
    return {{"bos_token_id", kBos},
            {"pad_token_id", kPad},
            {"eos_token_id", kEos},
            {"forced_eos_token_id", kEos},
            {"decoder_start_token_id", start}};
  }

  void add_tensor(const std::string& name, std::vector<int64_t> shape, std::vector<float> values) {
    const auto& kept = owned_.emplace_back(std::move(values));
    tensors_.push_back({name, DType::kF32, std::move(shape), std::as_bytes(std::span(kept))});
  }

  void add(const std::string& name, const std::string& ours, const std::vector<int64_t>& shape) {
    add_tensor(name, shape, model_.values(ours, shape));
  }

  void add_embeddings() {
    const std::string encoder = "encoder.embed_tokens.weight";
    const std::vector<int64_t> source = {model_.source().size(), width_};
    const std::vector<int64_t> target = {model_.target().size(), width_};
    if (shares_all())
      return add("model.shared.weight", encoder, source);
    add("model." + encoder, encoder, source);
    add("model.decoder.embed_tokens.weight", "decoder.embed_tokens.weight", target);
    if (!shares_output())
      add("lm_head.weight", "decoder.output_projection.weight", target);
  }

  /// A bias that the model does not have is zero.
  void add_linear(const std::string& ours, int64_t out, int64_t in) {
    add("model." + ours + ".weight", ours + ".weight", {out, in});
    if (model_.has(ours + ".bias")) {
      add("model." + ours + ".bias", ours + ".bias", {out});
    } else {
      add_tensor(
          "model." + ours + ".bias", {out}, std::vector<float>(static_cast<size_t>(out), 0.0F));
    }
  }

  void add_norm(const std::string& ours) {
    for (const char* part : {".weight", ".bias"})
      add("model." + ours + part, ours + part, {width_});
  }

  void add_attention(const std::string& ours) {
    for (const char* part : {".q_proj", ".k_proj", ".v_proj", ".out_proj"})
      add_linear(ours + part, width_, width_);
    add_norm(ours + "_layer_norm");
  }

  void add_layer(const std::string& stack, const std::string& layer) {
    add_attention(layer + "self_attn");
    if (stack == "decoder")
      add_attention(layer + "encoder_attn");
    const int64_t hidden = model_.size(stack + "_ffn_embed_dim");
    add_linear(layer + "fc1", hidden, width_);
    add_linear(layer + "fc2", width_, hidden);
    add_norm(layer + "final_layer_norm");
  }

  const ExportModel& model_;
  int64_t width_;
  int64_t positions_;
  std::vector<TensorView> tensors_;
  std::deque<std::vector<float>> owned_;
};

json symbol_ids(const Dictionary& dictionary) {
  json ids = json::object();
  for (int64_t id = 0; id < dictionary.size(); ++id) ids[dictionary.symbol(id)] = id;
  return ids;
}

}  // namespace

void export_to_marian_mt(const ExportModel& model, const std::string& folder) {
  MarianExporter exporter(model);
  const auto tensors = exporter.tensors();
  ExportFolder out(folder);
  write_checkpoint(out.path("model.safetensors"), {{"format", "pt"}}, tensors);
  out.write_json("vocab.json", symbol_ids(model.source()));
  if (!exporter.shares_all())
    out.write_json("target_vocab.json", symbol_ids(model.target()));
  out.write_tokenizers(model);
  out.write_json("tokenizer_config.json", exporter.tokenizer_config());
  out.write_json("generation_config.json", exporter.generation_config());
  out.write_json("config.json", exporter.config());
  out.commit("config.json");
}

}  // namespace phraseq
