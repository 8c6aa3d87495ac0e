#include "core/convert/marian/npz_export.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/convert/export_folder.h"
#include "core/convert/marian/marian_model_yml.h"
#include "core/convert/marian/marian_settings.h"
#include "core/convert/marian/marian_symbols.h"
#include "core/convert/marian/npz_file.h"
#include "core/convert/torch/zip_writer.h"
#include "core/convert/transposed.h"

namespace phraseq {
namespace {

/// A score below this one never wins.
constexpr float kHardlyProduced = -1e8F;

/// The vocabulary of a side: its file and our ids in the order of its symbols.
struct MarianSide {
  std::string file;
  std::string content;
  std::vector<int64_t> order;
};

class NpzExporter {
 public:
  explicit NpzExporter(const ExportModel& model)
      : model_(model), width_(model.size("encoder_embed_dim")), bias_(model.output_bias()) {
    bias_.resize(static_cast<size_t>(model.target().size()), 0.0F);
    model_.require_none(problems(), "marian");
    add_sides(model.source_tokenizer(), model.target_tokenizer());
    if (is_on("share_all_embeddings") && source_.order != target_.order)
      add_sides("", "");  // one matrix, one order
    if (is_one_vocabulary()) {
      source_.file.replace(source_.file.find(".source"), 7, "");
      target_.file = source_.file;
    }
  }

  void write(const ExportFolder& out) {
    add_embeddings();
    for (const char* stack : {"encoder", "decoder"}) add_stack(stack);
    const std::string settings =
        marian_model_yml(model_, source_.order.size(), target_.order.size()) + '\0';
    add_array("special:model.yml",
              DType::kI8,
              {static_cast<int64_t>(settings.size())},
              std::as_bytes(std::span(settings)));
    out.write("model.npz", archive_.finish());
    out.write(source_.file, source_.content);
    if (!is_one_vocabulary())
      out.write(target_.file, target_.content);
    if (source_.file.ends_with(".yml"))
      out.write_tokenizers(model_);
    out.write("model.npz.decoder.yml", decoder_yml());
  }

 private:
  bool is_on(const char* name) const { return model_.is_on(name); }
  bool is_one_vocabulary() const {
    return model_.source() == model_.target() && source_.content == target_.content;
  }
  bool is_pre_norm() const { return is_on("encoder_normalize_before"); }
  bool is_recurrent() const { return model_.architecture() == "ssru_transformer"; }

  std::vector<std::string> problems() const {
    std::vector<std::string> found = model_.text_problems();
    const auto require = [&](bool fine, std::string_view problem) {
      if (!fine)
        found.emplace_back(problem);
    };
    for (const char* name : {"embed_dim", "attention_heads"}) {
      require(model_.size(fmt::format("encoder_{}", name)) ==
                  model_.size(fmt::format("decoder_{}", name)),
              fmt::format("encoder and decoder with different {}", name));
    }
    require(is_pre_norm() == is_on("decoder_normalize_before"),
            "pre-norm in only one of encoder and decoder");
    require(!is_on("source_bos"), "source_bos = yes");
    require(is_on("source_eos"), "source_eos = no");
    const std::string positions = model_.choice("pos");
    require(positions == "tensor2tensor" || positions == "none",
            fmt::format("pos = {} (Marian has tensor2tensor)", positions));
    require(is_on("no_scale_embedding") == (positions == "none"),
            fmt::format("no_scale_embedding = {} with pos = {}",
                        is_on("no_scale_embedding") ? "yes" : "no",
                        positions));
    require(model_.number("norm_eps") == kMarianNormEpsilon,
            fmt::format(
                "norm_eps = {} (Marian has {})", model_.number("norm_eps"), kMarianNormEpsilon));
    require(model_.choice("start_token") == "bos" && starts_from_zeros(),
            "a start symbol whose embedding is not zero");
    require(bias_[kBos] <= kHardlyProduced, "a symbol <s> that can be produced");
    return found;
  }

  std::string target_embedding() const {
    return is_on("share_all_embeddings") ? "encoder.embed_tokens.weight"
                                         : "decoder.embed_tokens.weight";
  }

  bool starts_from_zeros() const {
    const auto rows = model_.values(target_embedding(), {model_.target().size(), width_});
    const auto start = rows.begin() + kBos * width_;
    return std::all_of(start, start + width_, [](float value) { return value == 0; });
  }

  void add_sides(const std::string& source_tokenizer, const std::string& target_tokenizer) {
    const bool with_pad = bias_[kPad] > kHardlyProduced;
    source_ = make_side("source", model_.source(), source_tokenizer, with_pad);
    target_ = make_side("target", model_.target(), target_tokenizer, with_pad);
  }

  static MarianSide make_side(const char* side,
                              const Dictionary& dictionary,
                              const std::string& sentencepiece,
                              bool with_pad) {
    if (const auto order = piece_order(dictionary, sentencepiece, with_pad))
      return {fmt::format("vocab.{}.spm", side), sentencepiece, *order};
    const auto order = marian_symbol_order(dictionary, with_pad);
    return {fmt::format("vocab.{}.yml", side), marian_vocabulary_yml(dictionary, order), order};
  }

  // Arrays.

  void add_array(const std::string& name,
                 DType dtype,
                 std::vector<int64_t> shape,
                 std::span<const std::byte> bytes) {
    archive_.add(name + ".npy", to_npy({name, dtype, std::move(shape), bytes}));
  }

  void add_floats(const std::string& name,
                  std::vector<int64_t> shape,
                  const std::vector<float>& values) {
    add_array(name, DType::kF32, std::move(shape), std::as_bytes(std::span(values)));
  }

  /// Rows of one of our matrices in the order of a vocabulary. [symbols, width]
  std::vector<float> rows_of(const std::string& ours,
                             const Dictionary& symbols,
                             const std::vector<int64_t>& order,
                             int64_t width) const {
    const auto values = model_.values(ours, {symbols.size(), width});
    std::vector<float> rows;
    for (const int64_t id : order)
      rows.insert(rows.end(), values.begin() + id * width, values.begin() + (id + 1) * width);
    return rows;
  }

  void add_rows(const std::string& name,
                const std::string& ours,
                const Dictionary& symbols,
                const MarianSide& side) {
    add_floats(name,
               {static_cast<int64_t>(side.order.size()), width_},
               rows_of(ours, symbols, side.order, width_));
  }

  void add_embeddings() {
    const std::string source = "encoder.embed_tokens.weight";
    if (is_on("share_all_embeddings")) {
      add_rows("Wemb", source, model_.source(), source_);
    } else {
      add_rows("encoder_Wemb", source, model_.source(), source_);
      add_rows("decoder_Wemb", target_embedding(), model_.target(), target_);
    }
    if (!shares_output()) {
      add_rows(
          "decoder_ff_logit_out_Wt", "decoder.output_projection.weight", model_.target(), target_);
    }
    std::vector<float> bias;
    for (const int64_t id : target_.order) bias.push_back(bias_[static_cast<size_t>(id)]);
    add_floats("decoder_ff_logit_out_b", {1, static_cast<int64_t>(bias.size())}, bias);
  }

  bool shares_output() const {
    return is_on("share_all_embeddings") || is_on("share_decoder_input_output_embed");
  }

  /// Our matrix [out, in] as Marian's [in, out].
  void add_matrix(const std::string& name, const std::string& ours, int64_t out, int64_t in) {
    add_floats(name, {in, out}, transposed(model_.values(ours, {out, in}), out, in));
  }

  /// A bias that the model does not have is zero.
  void add_linear(const std::string& prefix,
                  const std::string& suffix,
                  const std::string& ours,
                  int64_t out,
                  int64_t in) {
    add_matrix(prefix + "W" + suffix, ours + ".weight", out, in);
    const bool has_bias = model_.has(ours + ".bias");
    add_floats(prefix + "b" + suffix,
               {1, out},
               has_bias ? model_.values(ours + ".bias", {out})
                        : std::vector<float>(static_cast<size_t>(out), 0.0F));
  }

  void add_norm(const std::string& prefix, const std::string& suffix, const std::string& ours) {
    add_floats(
        prefix + "_ln_scale" + suffix, {1, width_}, model_.values(ours + ".weight", {width_}));
    add_floats(prefix + "_ln_bias" + suffix, {1, width_}, model_.values(ours + ".bias", {width_}));
  }

  void add_sublayer_norm(const std::string& prefix, const std::string& ours) {
    add_norm(prefix, is_pre_norm() ? "_pre" : "", ours);
  }

  void add_attention(const std::string& name, const std::string& ours) {
    for (const auto& [theirs, part] :
         {std::pair("q", ".q_proj"), {"k", ".k_proj"}, {"v", ".v_proj"}, {"o", ".out_proj"}})
      add_linear(name + "_", theirs, ours + part, width_, width_);
    add_sublayer_norm(name + "_Wo", ours + "_layer_norm");
  }

  void add_recurrent_unit(const std::string& name, const std::string& ours) {
    add_matrix(name + "_W", ours + ".x_proj.weight", width_, width_);
    add_matrix(name + "_Wf", ours + ".f_proj.weight", width_, width_);
    add_floats(name + "_bf", {1, width_}, model_.values(ours + ".f_proj.bias", {width_}));
    if (is_on("ssru_projection"))
      add_linear(name + "_", "o", ours + ".out_proj", width_, width_);
    add_sublayer_norm(is_pre_norm() ? name : name + "_ffn", ours + "_layer_norm");
  }

  void add_stack(const std::string& stack) {
    const int64_t hidden = model_.size(stack + "_ffn_embed_dim");
    for (int64_t i = 0; i < model_.size(stack + "_layers"); ++i) {
      const std::string name = fmt::format("{}_l{}_", stack, i + 1);
      const std::string ours = fmt::format("{}.layers.{}.", stack, i);
      if (stack == "decoder" && is_recurrent()) {
        add_recurrent_unit(name + "rnn", ours + "self_attn");
      } else {
        add_attention(name + "self", ours + "self_attn");
      }
      if (stack == "decoder")
        add_attention(name + "context", ours + "encoder_attn");
      add_linear(name + "ffn_", "1", ours + "fc1", hidden, width_);
      add_linear(name + "ffn_", "2", ours + "fc2", width_, hidden);
      add_sublayer_norm(name + "ffn_ffn", ours + "final_layer_norm");
    }
    if (model_.choice("embed_norm") != "no")
      add_norm(stack + "_emb", "_pre", stack + ".layernorm_embedding");
    if (is_pre_norm())
      add_norm(stack + "_top", "", stack + ".layer_norm");
  }

  /// As Marian writes it next to a trained model.
  std::string decoder_yml() const {
    return fmt::format(
        "relative-paths: true\nmodels:\n  - model.npz\nvocabs:\n  - {}\n  - {}\n"
        "beam-size: 5\nnormalize: 1\nword-penalty: 0\n",
        source_.file,
        target_.file);
  }

  const ExportModel& model_;
  int64_t width_;
  std::vector<float> bias_;
  MarianSide source_, target_;
  ZipWriter archive_;
};

}  // namespace

void export_to_marian_npz(const ExportModel& model, const std::string& folder) {
  NpzExporter exporter(model);
  ExportFolder out(folder);
  exporter.write(out);
  out.commit("model.npz.decoder.yml");
}

}  // namespace phraseq
