#include "core/convert/hf/marian_import.h"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/hf/hf_config.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/marian_config.h"
#include "core/convert/position_table.h"
#include "core/convert/vector_values.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json read_json(const fs::path& file) { return parse_json(read_file(file.string()), file.string()); }

class MarianImporter {
 public:
  MarianImporter(fs::path folder, std::string source_lang, std::string target_lang)
      : folder_(std::move(folder)),
        source_lang_(std::move(source_lang)),
        target_lang_(std::move(target_lang)) {}

  ImportedModel run() {
    const std::string config_path = (folder_ / "config.json").string();
    config_ = with_single_ids(read_json(config_path));
    model_.options = options_from_marian_config(config_, config_path);
    add_generation_config();
    read_vocabularies();
    read_weights();
    add_parameters();
    model_.set_sentencepiece((folder_ / "source.spm").string(), (folder_ / "target.spm").string());
    source_.keep_language_tokens(model_);
    model_.origin = {{"toolkit", "huggingface"}, {"weights", weights_path_}};
    return std::move(model_);
  }

 private:
  bool shared() const { return model_.options.at("share_all_embeddings") == true; }

  /// In newer versions, this file has bad_words_ids and the first token.
  void add_generation_config() {
    const fs::path path = folder_ / "generation_config.json";
    if (!fs::exists(path))
      return;
    config_ = with_generation_settings(config_, read_json(path), path.string());
    options_from_marian_config(config_, path.string());
  }

  void read_languages() {
    const fs::path path = folder_ / "tokenizer_config.json";
    if ((!source_lang_.empty() && !target_lang_.empty()) || !fs::exists(path))
      return;
    const json config = read_json(path);
    const JsonEntry entry(config, path.string());
    for (auto& [language, name] :
         {std::pair(&source_lang_, "source_lang"), {&target_lang_, "target_lang"}}) {
      if (language->empty() && entry.has(name) && !entry.at(name).is_null())
        *language = entry.at(name).text();
    }
  }

  HfVocabulary read_vocabulary(const char* file) const {
    const std::string path = (folder_ / file).string();
    return read_hf_vocabulary(
        read_json(path), special_ids_of(config_, (folder_ / "config.json").string()), path);
  }

  void read_vocabularies() {
    read_languages();
    source_ = read_vocabulary("vocab.json");
    target_ =
        fs::exists(folder_ / "target_vocab.json") ? read_vocabulary("target_vocab.json") : source_;
    model_.options["start_token"] = target_.starts_with_eos ? "eos" : "bos";
    model_.set_vocabularies(source_lang_, source_.dictionary, target_lang_, target_.dictionary);
    if (shared() && !model_.joined()) {
      throw FormatError(fmt::format("{}: the embeddings are shared, but the vocabularies differ",
                                    folder_.string()));
    }
  }

  void read_weights() {
    const HfFolder folder(folder_.string());
    weights_path_ = folder.weights_file();
    weights_ = folder.weights(model_);
  }

  TensorView* find(std::string_view name) {
    for (auto& tensor : weights_) {
      if (tensor.name == name)
        return &tensor;
    }
    return nullptr;
  }

  /// Takes a tensor out of the weights.
  std::optional<TensorView> take(std::string_view name) {
    TensorView* found = find(name);
    if (found == nullptr)
      return std::nullopt;
    TensorView taken = std::move(*found);
    weights_.erase(weights_.begin() + (found - weights_.data()));
    return taken;
  }

  /// Hugging Face's names are those of fairseq, from which the code came, except for these.
  void rename_weights() {
    for (auto& tensor : weights_) {
      if (tensor.name.starts_with("model."))
        tensor.name = tensor.name.substr(6);
      if (tensor.name == "lm_head.weight")
        tensor.name = "decoder.output_projection.weight";
    }
    if (auto shared_matrix = take("shared.weight")) {
      for (const char* name : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"}) {
        if (find(name) == nullptr && (shared() || name[0] == 'e')) {
          weights_.push_back(*shared_matrix);
          weights_.back().name = name;
        }
      }
    }
  }

  /// The positions that the file has; of a stack without them, those of Marian.
  void take_positions() {
    std::set<std::string> kinds;
    for (const std::string stack : {"encoder", "decoder"}) {
      const auto table = take(stack + ".embed_positions.weight");
      const auto kind = table ? kind_of_positions(*table, weights_path_) : "marian";
      kinds.insert(kind);
      if (kind == "learned")
        add_learned_positions(model_, weights_, *table, stack);
    }
    if (kinds.size() > 1)
      throw FormatError(
          fmt::format("{}: encoder and decoder have different positions", weights_path_));
    model_.options["pos"] = *kinds.begin();
  }

  void add_output_bias(const std::optional<TensorView>& given) {
    const auto values = given ? vector_values(*given, weights_path_) : std::vector<double>();
    auto bias = reorder_bias(values, target_, weights_path_);
    if (!target_.has_bos)
      bias[kBos] = kNeverProduced;
    if (target_.rows[kPad] == target_.rows[kEos] || target_.rows[kPad] == target_.rows[kUnk])
      bias[kPad] = kNeverProduced;  // the row counts once
    model_.add_output_bias(bias);
  }

  void add_parameters() {
    rename_weights();
    const auto bias = take("final_logits_bias");
    take_positions();
    reorder_matrices(model_, weights_, source_, target_, weights_path_);
    model_.add_parameters(weights_, weights_path_, source_.dictionary, target_.dictionary);
    add_output_bias(bias);
  }

  fs::path folder_;
  std::string source_lang_, target_lang_;
  json config_;
  ImportedModel model_;
  HfVocabulary source_, target_;
  std::string weights_path_;
  std::vector<TensorView> weights_;
};

}  // namespace

ImportedModel import_marian_mt(const std::string& folder,
                               const std::string& source_lang,
                               const std::string& target_lang) {
  return MarianImporter(folder, source_lang, target_lang).run();
}

}  // namespace phraseq
