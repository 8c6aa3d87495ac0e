#include "core/convert/marian/marian_settings.h"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int64_t kMaxMarianSize = 65536;

/// Settings that have no effect on a Transformer's translations, or are read below.
const std::set<std::string> kKnownSettings = {"version",
                                              "type",
                                              "dim-vocabs",
                                              "dim-emb",
                                              "dim-rnn",
                                              "enc-cell",
                                              "enc-type",
                                              "enc-cell-depth",
                                              "enc-depth",
                                              "dec-depth",
                                              "dec-cell",
                                              "dec-cell-base-depth",
                                              "dec-cell-high-depth",
                                              "skip",
                                              "layer-normalization",
                                              "tied-embeddings",
                                              "tied-embeddings-src",
                                              "tied-embeddings-all",
                                              "transformer-heads",
                                              "transformer-dim-ffn",
                                              "transformer-decoder-dim-ffn",
                                              "transformer-ffn-depth",
                                              "transformer-decoder-ffn-depth",
                                              "transformer-ffn-activation",
                                              "transformer-dim-aan",
                                              "transformer-aan-depth",
                                              "transformer-aan-activation",
                                              "transformer-aan-nogate",
                                              "transformer-preprocess",
                                              "transformer-postprocess",
                                              "transformer-postprocess-emb",
                                              "transformer-postprocess-top",
                                              "transformer-decoder-autoreg",
                                              "transformer-tied-layers",
                                              "transformer-guided-alignment-layer",
                                              "transformer-rnn-projection",
                                              "transformer-depth-scaling",
                                              "transformer-attention-mask",
                                              "transformer-disable-position-embeddings",
                                              "transformer-alibi-shift",
                                              "transformer-alibi-trainable",
                                              "bert-train-type-embeddings",
                                              "bert-type-vocab-size",
                                              "ulr-dim-emb",
                                              "ulr-trainable-transformation",
                                              "output-omit-bias",
                                              "input-types",
                                              "factors-combine",
                                              "factors-dim-emb",
                                              "lemma-dependency",
                                              "separator-symbol",
                                              "char-stride",
                                              "char-highway",
                                              "char-conv-filters-num",
                                              "char-conv-filters-widths"};

const std::set<std::string> kMarianActivations = {"relu", "swish", "gelu"};

bool is_off(const json& value) {
  return value.is_null() || value == false || value == 0 || value == "" || value == "none" ||
         value == json::array();
}

/// Operations without dropout, which translating leaves out.
std::string without_dropout(std::string operations) {
  std::erase(operations, 'd');
  return operations;
}

class MarianSettingsReader {
 public:
  MarianSettingsReader(const json& config, const std::string& path)
      : config_(config), entry_(config, path), path_(path) {}

  MarianSettings read() {
    if (text("type") != "transformer")
      problems_.push_back(
          fmt::format("type: {} (only transformer)", config_.value("type", json()).dump()));
    if (problems_.empty()) {
      read_sizes();
      read_norms();
      read_embeddings();
      read_decoder();
      check_rest();
    }
    if (problems_.empty())
      return std::move(made_);
    throw UsageError(fmt::format(
        "{}: phraseq has no counterpart of\n    {}", path_, fmt::join(problems_, "\n    ")));
  }

 private:
  std::string text(const char* name) const {
    const json value = config_.value(name, json());
    return value.is_string() ? value.get<std::string>() : std::string();
  }
  bool is_on(const char* name) const { return config_.value(name, json()) == true; }
  int64_t size(const char* name, int64_t least) const {
    return entry_.at(name).whole_number(least, kMaxMarianSize);
  }
  void reject(const std::string& name) {
    problems_.push_back(fmt::format("{}: {}", name, config_.value(name, json()).dump()));
  }

  void read_sizes() {
    const int64_t width = size("dim-emb", 1), heads = size("transformer-heads", 1);
    const int64_t hidden = size("transformer-dim-ffn", 1);
    const bool has_own = !is_off(config_.value("transformer-decoder-dim-ffn", json()));
    made_.options = with_fairseq_conventions(
        {{"encoder_embed_dim", width},
         {"decoder_embed_dim", width},
         {"encoder_attention_heads", heads},
         {"decoder_attention_heads", heads},
         {"encoder_ffn_embed_dim", hidden},
         {"decoder_ffn_embed_dim", has_own ? size("transformer-decoder-dim-ffn", 1) : hidden},
         {"encoder_layers", size("enc-depth", 0)},
         {"decoder_layers", size("dec-depth", 1)},
         {"pos", "tensor2tensor"},
         {"norm_eps", kMarianNormEpsilon},
         {"out_bias", true},
         {"start_token", "bos"},
         {"dropout", 0.1},
         {"no_scale_embedding", false}});
    if (width % heads != 0)
      throw FormatError(fmt::format(
          "{}: dim-emb {} is not a multiple of transformer-heads {}", path_, width, heads));
  }

  /// Post-norm ("", "dan", "") or pre-norm ("n", "da", "n"), as Marian writes its operations.
  void read_norms() {
    const std::string before = without_dropout(text("transformer-preprocess"));
    const std::string after = without_dropout(text("transformer-postprocess"));
    const std::string top = without_dropout(text("transformer-postprocess-top"));
    const bool is_post_norm = before.empty() && after == "an" && top.empty();
    const bool is_pre_norm = before == "n" && after == "a" && top == "n";
    if (!is_post_norm && !is_pre_norm) {
      problems_.push_back(
          fmt::format("transformer-preprocess: '{}' with transformer-postprocess: '{}' and "
                      "transformer-postprocess-top: '{}' ('', 'dan' and '', or 'n', 'da' and 'n')",
                      text("transformer-preprocess"),
                      text("transformer-postprocess"),
                      text("transformer-postprocess-top")));
    }
    made_.options["encoder_normalize_before"] = is_pre_norm;
    made_.options["decoder_normalize_before"] = is_pre_norm;
    const std::string bottom = text("transformer-postprocess-emb");
    if (const std::string norm = without_dropout(bottom); norm != "" && norm != "n")
      reject("transformer-postprocess-emb");
    made_.options["embed_norm"] = without_dropout(bottom).empty() ? "no"
                                  : bottom.starts_with('n')       ? "before-dropout"
                                                                  : "after-dropout";
  }

  void read_embeddings() {
    made_.tied_all =
        is_on("tied-embeddings-all") || (is_on("tied-embeddings-src") && is_on("tied-embeddings"));
    made_.tied_src = made_.tied_all || is_on("tied-embeddings-src");
    made_.tied_output = made_.tied_all || is_on("tied-embeddings");
    made_.has_output_bias = !is_on("output-omit-bias");
    made_.options["share_all_embeddings"] = made_.tied_all;
    made_.options["share_decoder_input_output_embed"] = made_.tied_output;
    if (is_on("transformer-disable-position-embeddings")) {
      made_.options["pos"] = "none";
      made_.options["no_scale_embedding"] = true;  // the scale is applied with the positions
    }
  }

  void read_decoder() {
    const std::string kind = text("transformer-decoder-autoreg");
    if (kind == "rnn") {
      read_recurrent_units();
    } else if (!kind.empty() && kind != "self-attention") {
      reject("transformer-decoder-autoreg");
    }
    const auto layers = made_.options.at("decoder_layers").get<int64_t>();
    for (int64_t i = 1; i <= layers; ++i) made_.decoder_layers.push_back(i);
    if (is_off(config_.value("transformer-tied-layers", json())))
      return;
    made_.decoder_layers.clear();
    for (const auto& number : entry_.at("transformer-tied-layers").items())
      made_.decoder_layers.push_back(number.whole_number(1, layers));
    if (static_cast<int64_t>(made_.decoder_layers.size()) != layers)
      reject("transformer-tied-layers");
  }

  void read_recurrent_units() {
    made_.architecture = "ssru_transformer";
    made_.options["ssru_projection"] = is_on("transformer-rnn-projection");
    if (text("dec-cell") != "ssru")
      reject("dec-cell");
    if (is_on("layer-normalization"))
      reject("layer-normalization");
  }

  void check_rest() {
    const std::string activation = text("transformer-ffn-activation");
    made_.options["activation_fn"] = activation;
    if (!kMarianActivations.contains(activation))
      reject("transformer-ffn-activation");
    for (const char* name : {"transformer-ffn-depth", "transformer-decoder-ffn-depth"}) {
      const json depth = config_.value(name, json());
      if (!is_off(depth) && depth != 2)
        reject(name);
    }
    if (const std::string mask = text("transformer-attention-mask");
        mask != "" && mask != "default")
      reject("transformer-attention-mask");
    for (const json& type : config_.value("input-types", json::array())) {
      if (type != "sequence")
        reject("input-types");
    }
    for (const auto& [name, value] : config_.items()) {
      if (!kKnownSettings.contains(name) && !is_off(value))
        reject(name);
    }
  }

  const json& config_;
  JsonEntry entry_;
  const std::string& path_;
  MarianSettings made_;
  std::vector<std::string> problems_;
};

}  // namespace

MarianSettings marian_settings_of(const json& model_yml, const std::string& path) {
  JsonEntry(model_yml, path).object();
  return MarianSettingsReader(model_yml, path).read();
}

}  // namespace phraseq
