#include "core/convert/ctranslate2/ct2_import.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/ctranslate2/ct2_file.h"
#include "core/convert/ctranslate2/ct2_vocabulary.h"
#include "core/convert/hf/language_token_forms.h"
#include "core/convert/named_tensors.h"
#include "core/convert/position_table.h"
#include "core/convert/vector_values.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kCt2Epsilon = 1e-5;

const std::map<int64_t, const char*> kCt2Activations = {{0, "relu"}, {2, "swish"}, {3, "gelu"}};
const std::map<int64_t, const char*> kUnsupportedActivations = {
    {1, "gelu approximated by tanh"},
    {4, "gelu approximated by a sigmoid"},
    {5, "tanh"},
    {6, "sigmoid"}};

/// Settings that must be zero.
const std::set<std::string> kMustBeZero = {"encoder/embeddings_merge",
                                           "encoder/multi_query_attention",
                                           "decoder/alibi",
                                           "decoder/alibi_use_positive_positions",
                                           "decoder/scale_alibi"};

class Ct2Importer {
 public:
  Ct2Importer(fs::path folder, std::string sentencepiece)
      : folder_(std::move(folder)), sentencepiece_(std::move(sentencepiece)) {}

  ImportedModel run(const std::string& source_lang, const std::string& target_lang) {
    file_ = std::make_shared<Ct2File>((folder_ / "model.bin").string());
    model_.files.push_back(file_);
    if (file_->specification() != "TransformerSpec")
      refuse(fmt::format("it is a '{}'", file_->specification()));
    variables_ = file_->variables();
    refuse_quantized();
    read_config();
    read_vocabularies(source_lang, target_lang);
    for (const char* stack : {"encoder", "decoder"}) take_stack(stack);
    take_projection();
    take_settings();
    finish();
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(std::string_view problem, std::string_view hint = {}) const {
    throw UsageError(fmt::format("{}: the model cannot be imported: {}", file_->path(), problem),
                     hint);
  }

  void refuse_quantized() const {
    for (const auto& [name, variable] : variables_) {
      if (name.ends_with("/weight") && !is_float(variable.dtype))
        refuse(fmt::format("its weights are quantized ({})", to_string(variable.dtype)),
               "Convert the original model with --quantization float32 or float16.");
    }
  }

  // Variables; one that is taken is not left over.

  const TensorView* find(const std::string& name) {
    const auto found = variables_.find(name);
    if (found == variables_.end())
      return nullptr;
    used_.insert(name);
    return &found->second;
  }

  const TensorView& take(const std::string& name) {
    const TensorView* found = find(name);
    if (found == nullptr)
      throw FormatError(fmt::format("{}: there is no variable '{}'", file_->path(), name));
    return *found;
  }

  int64_t take_number(const std::string& name) {
    const TensorView& variable = take(name);
    int64_t value = 0;
    for (size_t i = variable.bytes.size(); i-- > 0;)
      value = value << 8 | std::to_integer<int64_t>(variable.bytes[i]);
    if (!variable.shape.empty() || (variable.dtype != DType::kI8 && variable.dtype != DType::kI16))
      throw FormatError(fmt::format("{}: '{}' is not a whole number", file_->path(), name));
    return value;
  }

  /// A variable under phraseq's name.
  void take_as(const std::string& name, const std::string& ours) {
    weights_.push_back(take(name));
    weights_.back().name = ours;
  }

  void take_norm(const std::string& name, const std::string& ours) {
    take_as(name + "/gamma", ours + ".weight");
    take_as(name + "/beta", ours + ".bias");
  }

  /// A variable that stacks several of phraseq's parameters.
  void split(const TensorView& variable, const std::vector<std::string>& ours) {
    const auto parts = static_cast<int64_t>(ours.size());
    if (variable.shape.empty() || variable.shape[0] % parts != 0)
      throw FormatError(
          fmt::format("{}: '{}' does not have {} parts", file_->path(), variable.name, parts));
    const size_t bytes = variable.bytes.size() / ours.size();
    for (size_t i = 0; i < ours.size(); ++i) {
      TensorView part = variable;
      part.name = ours[i];
      part.shape[0] /= parts;
      part.bytes = variable.bytes.subspan(i * bytes, bytes);
      weights_.push_back(std::move(part));
    }
  }

  /// Projections; a missing bias is one of zeros.
  void take_linear(const std::string& name, const std::vector<std::string>& ours) {
    std::vector<std::string> weights, biases;
    for (const std::string& projection : ours) {
      weights.push_back(projection + ".weight");
      biases.push_back(projection + ".bias");
    }
    const TensorView& weight = take(name + "/weight");
    split(weight, weights);
    if (const TensorView* bias = find(name + "/bias"))
      return split(*bias, biases);
    TensorView zeros{name + "/bias", DType::kF32, {weight.shape[0]}, {}};
    const size_t bytes = static_cast<size_t>(weight.shape[0]) * sizeof(float);
    zeros.bytes = std::as_bytes(std::span(model_.owned.emplace_back(bytes, '\0')));
    split(zeros, biases);
  }

  void take_attention(const std::string& name, const std::string& ours, bool to_itself) {
    take_norm(name + "/layer_norm", ours + "_layer_norm");
    const std::string q = ours + ".q_proj", k = ours + ".k_proj", v = ours + ".v_proj";
    if (to_itself) {
      take_linear(name + "/linear_0", {q, k, v});
      take_linear(name + "/linear_1", {ours + ".out_proj"});
    } else {
      take_linear(name + "/linear_0", {q});
      take_linear(name + "/linear_1", {k, v});
      take_linear(name + "/linear_2", {ours + ".out_proj"});
    }
  }

  void take_layer(const std::string& stack, const std::string& name, const std::string& ours) {
    take_attention(name + "/self_attention", ours + "self_attn", /*to_itself=*/true);
    if (stack == "decoder")
      take_attention(name + "/attention", ours + "encoder_attn", /*to_itself=*/false);
    take_norm(name + "/ffn/layer_norm", ours + "final_layer_norm");
    take_linear(name + "/ffn/linear_0", {ours + "fc1"});
    take_linear(name + "/ffn/linear_1", {ours + "fc2"});
    model_.options[stack + "_ffn_embed_dim"] = take(name + "/ffn/linear_0/weight").shape[0];
  }

  void add_rows(const std::string& name,
                const std::string& ours,
                const ForeignVocabulary& vocabulary) {
    weights_.push_back(reorder_rows(model_, take(name), vocabulary, file_->path()));
    weights_.back().name = ours;
  }

  void take_stack(const std::string& stack) {
    const bool is_encoder = stack == "encoder";
    const std::string embedding =
        is_encoder ? "encoder/embeddings_0/weight" : "decoder/embeddings/weight";
    add_rows(embedding, stack + ".embed_tokens.weight", is_encoder ? source_ : target_);
    const int64_t width = weights_.back().shape.size() == 2 ? weights_.back().shape[1] : 0;
    json& options = model_.options;
    options[stack + "_embed_dim"] = width;
    options[stack + "_attention_heads"] = take_number(stack + "/num_heads");
    options[stack + "_normalize_before"] = take_number(stack + "/pre_norm") != 0;
    take_scale(stack, width);
    take_positions(stack);
    const bool has_norm = variables_.contains(stack + "/layernorm_embedding/gamma");
    options["embed_norm"] = has_norm ? "before-dropout" : "no";
    if (has_norm)
      take_norm(stack + "/layernorm_embedding", stack + ".layernorm_embedding");
    if (options[stack + "_normalize_before"] == true)
      take_norm(stack + "/layer_norm", stack + ".layer_norm");
    int64_t layers = 0;
    for (; variables_.contains(fmt::format("{}/layer_{}/ffn/linear_0/weight", stack, layers));
         ++layers)
      take_layer(stack,
                 fmt::format("{}/layer_{}", stack, layers),
                 fmt::format("{}.layers.{}.", stack, layers));
    options[stack + "_layers"] = layers;
  }

  /// A truth value, or the factor itself.
  void take_scale(const std::string& stack, int64_t width) {
    const TensorView& scale = take(stack + "/scale_embeddings");
    const double root = std::sqrt(static_cast<double>(width));
    const double factor = is_float(scale.dtype) && scale.shape.empty() ? float_values(scale).at(0)
                          : take_number(stack + "/scale_embeddings") != 0 ? root
                                                                          : 1.0;
    const bool scales = std::abs(factor - root) < 1e-4 * root;
    if (!scales && factor != 1.0)
      refuse(fmt::format("{}/scale_embeddings is {}", stack, factor));
    agree("no_scale_embedding", !scales, stack);
  }

  void take_positions(const std::string& stack) {
    const std::string name = stack + "/position_encodings/encodings";
    if (!variables_.contains(name))
      refuse(fmt::format(
          "there is no table '{}': only sinusoidal and learned positions are supported", name));
    const TensorView& table = take(name);
    const json positions = table.shape.empty() ? 0 : table.shape[0];
    agree("pos", kind_of_positions(table, file_->path()), stack);
    if (model_.options.at("pos") == "learned")
      add_learned_positions(model_, weights_, table, stack);
    model_.options[stack == "encoder" ? "max_source_positions" : "max_target_positions"] =
        positions;
  }

  /// A setting that the two stacks share in phraseq's model.
  void agree(const char* option, const json& value, const std::string& stack) {
    if (stack == "decoder" && model_.options.at(option) != value)
      refuse(fmt::format("encoder and decoder differ in {}", option));
    model_.options[option] = value;
  }

  void take_projection() {
    add_rows("decoder/projection/weight", "decoder.output_projection.weight", target_);
    const TensorView* bias = find("decoder/projection/bias");
    const bool has_bias = bias != nullptr || target_.lacks_symbols();
    model_.options["out_bias"] = has_bias;
    const auto given =
        bias == nullptr ? std::vector<double>() : vector_values(*bias, file_->path());
    if (has_bias)
      model_.add_output_bias(reorder_bias(given, target_, file_->path()));
  }

  void take_settings() {
    for (const std::string& name : kMustBeZero) {
      if (variables_.contains(name) && take_number(name) != 0)
        refuse(name + " is set");
    }
    const int64_t activation = take_number("encoder/activation");
    if (take_number("decoder/activation") != activation)
      refuse("encoder and decoder have different activations");
    if (kUnsupportedActivations.contains(activation))
      refuse(fmt::format("the activation is {}; only relu, swish and exact gelu are supported",
                         kUnsupportedActivations.at(activation)));
    if (!kCt2Activations.contains(activation))
      refuse(fmt::format("the activation has the number {}", activation));
    model_.options["activation_fn"] = kCt2Activations.at(activation);
    for (const char* name : {"decoder/alignment_heads", "decoder/alignment_layer"}) find(name);
    if (find("decoder/start_from_zero_embedding") != nullptr &&
        take_number("decoder/start_from_zero_embedding") != 0 && target_.rows[kBos] >= 0)
      refuse("decoder/start_from_zero_embedding is set, although there is a symbol <s>");
  }

  void read_config() {
    const std::string path = (folder_ / "config.json").string();
    config_ = parse_json(read_file(path), path);
    const JsonEntry entry(config_, path);
    const bool has_epsilon =
        entry.has("layer_norm_epsilon") && !entry.at("layer_norm_epsilon").is_null();
    model_.options = with_fairseq_conventions(
        {{"norm_eps", has_epsilon ? entry.at("layer_norm_epsilon").number() : kCt2Epsilon},
         {"source_bos", entry.has("add_source_bos") && entry.at("add_source_bos").truth()},
         {"source_eos", entry.has("add_source_eos") && entry.at("add_source_eos").truth()},
         {"dropout", 0.1}});
    refuse_renamed_tokens();
  }

  /// The special tokens are found by their usual names.
  void refuse_renamed_tokens() const {
    refuse_other_token("eos_token", "</s>");
    refuse_other_token("unk_token", "<unk>");
    if (model_.options.at("source_bos") == true)
      refuse_other_token("bos_token", "<s>");
  }

  void refuse_other_token(const char* setting, const char* symbol) const {
    const json given = config_.value(setting, json());
    if (given.is_string() && given != symbol)
      refuse(fmt::format("{} is '{}', not {}", setting, excerpt(given.get<std::string>()), symbol));
  }

  void read_vocabularies(const std::string& source_lang, const std::string& target_lang) {
    source_ = read_ct2_vocabulary(folder_, "source");
    target_ = read_ct2_vocabulary(folder_, "target");
    model_.set_vocabularies(source_lang, source_.dictionary, target_lang, target_.dictionary);
    const bool zero = variables_.contains("decoder/start_from_zero_embedding") &&
                      take_number("decoder/start_from_zero_embedding") != 0;
    const std::string start = config_.value("decoder_start_token", json()).is_string()
                                  ? config_.at("decoder_start_token").get<std::string>()
                                  : std::string();
    if (!zero && start != "</s>" && start != "<s>")
      refuse(fmt::format("decoding starts from '{}'", start));
    model_.options["start_token"] = zero || start == "<s>" ? "bos" : "eos";
    if (zero)  // Marian's </s> is what some converters leave to the tokenizer
      model_.options["source_eos"] = true;
    else if (start == "</s>" && model_.options.at("source_eos") == false)
      refuse_language_tokens();
    set_tokenizer();
  }

  /// A model of Hugging Face for many languages: the tokens of the languages and </s> are part of
  /// its sources, and no text can name them here.
  void refuse_language_tokens() const {
    for (int64_t id = kUnk + 1; id < source_.dictionary.size(); ++id) {
      const std::string& symbol = source_.dictionary.symbol(id);
      if (is_m2m_language_token(symbol) || is_flores_code(symbol) || is_mbart_code(symbol))
        throw UsageError(
            fmt::format("{}: a model for many languages ('{}'), whose sources begin "
                        "with the token of one",
                        file_->path(),
                        symbol),
            "Import M2M-100 or NLLB from the model of Hugging Face; mBART cannot be imported.");
    }
  }

  /// BART: <s> and </s> are part of its sources, and no text can name them here.
  void refuse_bart() const {
    const json& options = model_.options;
    const bool leaves_ends_to_the_tokenizer = options.at("start_token") == "eos" &&
                                              options.at("source_eos") == false &&
                                              options.at("source_bos") == false;
    if (leaves_ends_to_the_tokenizer &&
        (options.at("embed_norm") != "no" || source_.dictionary.contains("<mask>")))
      refuse("it is a model like BART, whose tokenizer adds <s> and </s> to sources");
  }

  void set_tokenizer() {
    if (!sentencepiece_.empty()) {
      model_.set_sentencepiece(sentencepiece_, sentencepiece_);
    } else if (fs::exists(folder_ / "source.spm") && fs::exists(folder_ / "target.spm")) {
      model_.set_sentencepiece((folder_ / "source.spm").string(),
                               (folder_ / "target.spm").string());
    } else {
      model_.set_tokenizer("word");
    }
    source_.keep_language_tokens(model_);
  }

  const TensorView& weight(std::string_view name) const { return *find_tensor(weights_, name); }

  bool are_same(const char* one, const char* other) const {
    return weight(one).shape == weight(other).shape &&
           std::ranges::equal(weight(one).bytes, weight(other).bytes);
  }

  void finish() {
    refuse_bart();
    const bool tied = are_same("decoder.embed_tokens.weight", "decoder.output_projection.weight");
    const bool all = tied && model_.joined() &&
                     are_same("encoder.embed_tokens.weight", "decoder.embed_tokens.weight");
    model_.options["share_decoder_input_output_embed"] = tied;
    model_.options["share_all_embeddings"] = all;
    std::vector<std::string> unknown;
    for (const auto& [name, variable] : variables_) {
      if (!used_.contains(name))
        unknown.push_back(name);
    }
    if (!unknown.empty())
      refuse(fmt::format("it has variables that are not supported:\n    {}",
                         fmt::join(unknown, "\n    ")));
    model_.add_parameters(weights_, file_->path(), source_.dictionary, target_.dictionary);
    model_.origin = {{"toolkit", "ctranslate2"}, {"weights", file_->path()}};
  }

  fs::path folder_;
  std::string sentencepiece_;
  std::shared_ptr<Ct2File> file_;
  std::map<std::string, TensorView> variables_;
  std::set<std::string> used_;
  json config_;
  ImportedModel model_;
  ForeignVocabulary source_, target_;
  std::vector<TensorView> weights_;
};

}  // namespace

ImportedModel import_ctranslate2(const ForeignModel& files) {
  return Ct2Importer(files.weights, files.sentencepiece).run(files.source_lang, files.target_lang);
}

}  // namespace phraseq
