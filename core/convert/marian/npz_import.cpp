#include "core/convert/marian/npz_import.h"

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/convert/foreign_vocabulary.h"
#include "core/convert/marian/marian_files.h"
#include "core/convert/marian/marian_settings.h"
#include "core/convert/marian/marian_vocabulary.h"
#include "core/convert/marian/npz_file.h"
#include "core/convert/transposed.h"
#include "core/convert/vector_values.h"
#include "core/io/json_reader.h"
#include "core/io/yaml/yaml_reader.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSettingsArray = "special:model.yml";

class NpzImporter {
 public:
  explicit NpzImporter(ForeignModel files)
      : files_(find_marian_files(std::move(files))),
        file_(std::make_shared<NpzFile>(files_.weights)) {
    model_.files.push_back(file_);
  }

  ImportedModel run() {
    read_settings();
    check_subword_models();
    read_vocabularies();
    set_tokenizer();
    take_embeddings();
    take_stack("encoder");
    take_stack("decoder");
    check_leftovers();
    finish();
    return std::move(model_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const {
    throw FormatError(fmt::format("{}: {}", files_.weights, problem));
  }

  void read_settings() {
    const TensorView& array = take(kSettingsArray);
    std::string text(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    text = text.substr(0, text.find('\0'));
    const std::string where = fmt::format("{}: {}", files_.weights, kSettingsArray);
    const json config = parse_yaml(text, where);
    settings_ = marian_settings_of(config, where);
    model_.architecture = settings_.architecture;
    model_.options = settings_.options;
    const auto sizes = JsonEntry(config, where).at("dim-vocabs").items();
    if (sizes.size() != 2)
      fail(fmt::format("dim-vocabs has {} sizes, expected two", sizes.size()));
    for (size_t side = 0; side < 2; ++side)
      vocabulary_sizes_[side] = sizes[side].whole_number(1, int64_t{1} << 24);
  }

  /// Vocabularies that are SentencePiece models are the subword models too.
  void check_subword_models() const {
    if (files_.sentencepiece.empty() || !is_marian_sentencepiece(files_.vocabs.front()) ||
        !is_marian_sentencepiece(files_.vocabs.back()))
      return;
    throw UsageError(
        fmt::format("{}: --sentencepiece is not used, because the vocabularies are SentencePiece "
                    "models",
                    files_.weights),
        "Leave out --sentencepiece.");
  }

  void read_vocabularies() {
    source_ = read_marian_vocabulary(files_.vocabs.front(), vocabulary_sizes_[0]);
    target_ = read_marian_vocabulary(files_.vocabs.back(), vocabulary_sizes_[1]);
    model_.set_vocabularies(
        files_.source_lang, source_.dictionary, files_.target_lang, target_.dictionary);
    if (settings_.tied_src && source_.rows != target_.rows)
      fail("the embeddings are tied, but the vocabularies differ");
    if (settings_.tied_all && !model_.joined())
      fail("the embeddings are tied, but the vocabularies differ");
  }

  void set_tokenizer() {
    const fs::path folder = fs::path(files_.weights).parent_path();
    const std::string source = (folder / "source.spm").string();
    const std::string target = (folder / "target.spm").string();
    const bool of_source = is_marian_sentencepiece(files_.vocabs.front());
    const bool of_target = is_marian_sentencepiece(files_.vocabs.back());
    if (of_source && of_target) {
      model_.set_sentencepiece(files_.vocabs.front(), files_.vocabs.back());
    } else if (of_source || of_target) {
      throw UsageError(
          fmt::format("{}: one vocabulary is a SentencePiece model and the other is "
                      "not, which is not supported",
                      files_.weights));
    } else if (!files_.sentencepiece.empty()) {
      model_.set_sentencepiece(files_.sentencepiece, files_.sentencepiece);
    } else if (fs::exists(source) && fs::exists(target)) {
      model_.set_sentencepiece(source, target);
    } else {
      model_.set_tokenizer("word");
    }
    source_.keep_language_tokens(model_);
  }

  // Arrays; one that is taken is not left over.

  bool has(const std::string& name) const { return file_->arrays().contains(name); }

  const TensorView& take(const std::string& name) {
    const auto found = file_->arrays().find(name);
    if (found == file_->arrays().end())
      fail(fmt::format("there is no array '{}'", name));
    used_.insert(name);
    return found->second;
  }

  std::vector<double> take_values(const std::string& name) {
    const TensorView& array = take(name);
    if (!is_float(array.dtype))
      fail(fmt::format("'{}' is {}", name, to_string(array.dtype)));
    return float_values(array);
  }

  void add_weight(const std::string& ours,
                  std::vector<int64_t> shape,
                  const std::vector<double>& values) {
    const std::string& kept = model_.owned.emplace_back(float_bytes(values, DType::kF32));
    weights_.push_back({ours, DType::kF32, std::move(shape), std::as_bytes(std::span(kept))});
  }

  /// A vector, which Marian stores as a matrix of one row.
  void take_vector(const std::string& name, const std::string& ours) {
    const auto values = vector_values(take(name), files_.weights);
    add_weight(ours, {static_cast<int64_t>(values.size())}, values);
  }

  /// A matrix [in, out], which is [out, in] in phraseq's model.
  void take_matrix(const std::string& name, const std::string& ours) {
    const auto& shape = take(name).shape;
    if (shape.size() != 2)
      fail(fmt::format("'{}' is not a matrix: [{}]", name, fmt::join(shape, ", ")));
    add_weight(ours, {shape[1], shape[0]}, transposed(take_values(name), shape[0], shape[1]));
  }

  void take_linear(const std::string& prefix, const std::string& suffix, const std::string& ours) {
    take_matrix(prefix + "W" + suffix, ours + ".weight");
    take_vector(prefix + "b" + suffix, ours + ".bias");
  }

  void take_norm(const std::string& prefix, const std::string& suffix, const std::string& ours) {
    take_vector(prefix + "_ln_scale" + suffix, ours + ".weight");
    take_vector(prefix + "_ln_bias" + suffix, ours + ".bias");
  }

  bool is_pre_norm() const { return model_.options.at("encoder_normalize_before") == true; }

  /// The norm of a sub-layer, before or after it.
  void take_sublayer_norm(const std::string& prefix, const std::string& ours) {
    take_norm(prefix, is_pre_norm() ? "_pre" : "", ours);
  }

  void take_attention(const std::string& name, const std::string& ours) {
    for (const auto& [theirs, part] :
         {std::pair("q", ".q_proj"), {"k", ".k_proj"}, {"v", ".v_proj"}, {"o", ".out_proj"}})
      take_linear(name + "_", theirs, ours + part);
    take_sublayer_norm(name + "_Wo", ours + "_layer_norm");
  }

  /// SSRU, whose norm has another name than attention's (Marian's DecoderLayerRNN).
  void take_recurrent_unit(const std::string& name, const std::string& ours) {
    take_matrix(name + "_W", ours + ".x_proj.weight");
    take_matrix(name + "_Wf", ours + ".f_proj.weight");
    take_vector(name + "_bf", ours + ".f_proj.bias");
    if (model_.options.at("ssru_projection") == true)
      take_linear(name + "_", "o", ours + ".out_proj");
    take_sublayer_norm(is_pre_norm() ? name : name + "_ffn", ours + "_layer_norm");
  }

  void take_layer(const std::string& stack, int64_t number, const std::string& ours) {
    const std::string name = fmt::format("{}_l{}_", stack, number);
    if (stack == "decoder" && settings_.is_recurrent()) {
      take_recurrent_unit(name + "rnn", ours + "self_attn");
    } else {
      take_attention(name + "self", ours + "self_attn");
    }
    if (stack == "decoder")
      take_attention(name + "context", ours + "encoder_attn");
    take_linear(name + "ffn_", "1", ours + "fc1");
    take_linear(name + "ffn_", "2", ours + "fc2");
    take_sublayer_norm(name + "ffn_ffn", ours + "final_layer_norm");
  }

  void take_stack(const std::string& stack) {
    const auto layers = model_.options.at(stack + "_layers").get<int64_t>();
    for (int64_t i = 0; i < layers; ++i) {
      const bool is_decoder = stack == "decoder";
      const int64_t number = is_decoder ? settings_.decoder_layers[static_cast<size_t>(i)] : i + 1;
      take_layer(stack, number, fmt::format("{}.layers.{}.", stack, i));
    }
    if (model_.options.at("embed_norm") != "no")
      take_norm(stack + "_emb", "_pre", stack + ".layernorm_embedding");
    if (is_pre_norm())
      take_norm(stack + "_top", "", stack + ".layer_norm");
  }

  /// A matrix with one row for each symbol.
  void take_rows(const std::string& name, const std::string& ours, const ForeignVocabulary& rows) {
    const TensorView& array = take(name);
    if (!is_float(array.dtype))
      fail(fmt::format("'{}' is {}", name, to_string(array.dtype)));
    weights_.push_back(reorder_rows(model_, array, rows, files_.weights));
    weights_.back().name = ours;
  }

  void take_embeddings() {
    take_rows(settings_.tied_src ? "Wemb" : "encoder_Wemb", "encoder.embed_tokens.weight", source_);
    take_rows(settings_.tied_src ? "Wemb" : "decoder_Wemb", "decoder.embed_tokens.weight", target_);
    const std::string output = "decoder_ff_logit_out_";
    const std::string projection = "decoder.output_projection.weight";
    if (!settings_.tied_output && has(output + "W")) {  // older models did not transpose it
      take_matrix(output + "W", projection);
      weights_.back() = reorder_rows(model_, weights_.back(), target_, files_.weights);
    } else if (!settings_.tied_output) {
      take_rows(output + "Wt", projection, target_);
    }
    const auto given = settings_.has_output_bias ? vector_values(take(output + "b"), files_.weights)
                                                 : std::vector<double>();
    model_.add_output_bias(reorder_bias(given, target_, files_.weights));
  }

  void check_leftovers() const {
    std::vector<std::string> unknown;
    for (const auto& [name, array] : file_->arrays()) {
      if (!used_.contains(name))
        unknown.push_back(name);
    }
    if (!unknown.empty()) {
      throw UsageError(fmt::format("{}: it has arrays that are not supported:\n    {}",
                                   files_.weights,
                                   fmt::join(unknown, "\n    ")));
    }
  }

  void finish() {
    model_.add_parameters(weights_, files_.weights, source_.dictionary, target_.dictionary);
    model_.origin = {{"toolkit", "marian"}, {"weights", files_.weights}};
  }

  ForeignModel files_;
  std::shared_ptr<NpzFile> file_;
  ImportedModel model_;
  MarianSettings settings_;
  std::array<int64_t, 2> vocabulary_sizes_ = {0, 0};
  ForeignVocabulary source_, target_;
  std::set<std::string> used_;
  std::vector<TensorView> weights_;
};

}  // namespace

ImportedModel import_marian_npz(const ForeignModel& files) { return NpzImporter(files).run(); }

}  // namespace phraseq
