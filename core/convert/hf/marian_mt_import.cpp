#include "core/convert/hf/marian_mt_import.h"

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/hf/hf_config.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/hf_weights.h"
#include "core/convert/hf/marian_mt_config.h"
#include "core/convert/named_tensors.h"
#include "core/convert/position_table.h"
#include "core/convert/vector_values.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

class MarianMtImporter {
 public:
  explicit MarianMtImporter(const ForeignModel& files)
      : folder_(files.weights), source_lang_(files.source_lang), target_lang_(files.target_lang) {}

  ImportedModel run() {
    config_ = with_single_ids(folder_.json(kConfig));
    model_.options = options_from_marian_config(config_, folder_.file(kConfig));
    add_generation_config();
    read_vocabularies();
    weights_path_ = folder_.weights_file();
    weights_ = folder_.weights(model_);
    add_parameters();
    model_.set_sentencepiece(folder_.file("source.spm"), folder_.file("target.spm"));
    source_.keep_language_tokens(model_);
    model_.origin = {{"toolkit", "huggingface"}, {"weights", weights_path_}};
    return std::move(model_);
  }

 private:
  bool shared() const { return model_.options.at("share_all_embeddings") == true; }

  /// In newer versions, this file has bad_words_ids and the first token.
  void add_generation_config() {
    static constexpr const char* kFile = "generation_config.json";
    if (!folder_.has(kFile))
      return;
    config_ = with_generation_settings(config_, folder_.json(kFile), folder_.file(kFile));
    options_from_marian_config(config_, folder_.file(kFile));
  }

  void read_languages() {
    static constexpr const char* kFile = "tokenizer_config.json";
    if ((!source_lang_.empty() && !target_lang_.empty()) || !folder_.has(kFile))
      return;
    const json config = folder_.json(kFile);
    const JsonEntry entry(config, folder_.file(kFile));
    for (auto& [language, name] :
         {std::pair(&source_lang_, "source_lang"), {&target_lang_, "target_lang"}}) {
      if (language->empty() && entry.has(name) && !entry.at(name).is_null())
        *language = entry.at(name).text();
    }
  }

  HfVocabulary read_vocabulary(const char* file) const {
    return read_hf_vocabulary(
        folder_.json(file), special_ids_of(config_, folder_.file(kConfig)), folder_.file(file));
  }

  void read_vocabularies() {
    read_languages();
    source_ = read_vocabulary("vocab.json");
    target_ = folder_.has("target_vocab.json") ? read_vocabulary("target_vocab.json") : source_;
    model_.options["start_token"] = target_.starts_with_eos ? "eos" : "bos";
    model_.set_vocabularies(source_lang_, source_.dictionary, target_lang_, target_.dictionary);
    if (shared() && !model_.joined()) {
      throw FormatError(fmt::format("{}: the embeddings are shared, but the vocabularies differ",
                                    folder_.path()));
    }
  }

  /// The positions that the file has; of a stack without them, those of Marian.
  void take_positions() {
    std::set<std::string> kinds;
    for (const std::string stack : {"encoder", "decoder"}) {
      const auto table = take_tensor(weights_, stack + ".embed_positions.weight");
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
    const auto shared_matrices =
        shared() ? std::vector{kEncoderMatrix, kDecoderMatrix} : std::vector{kEncoderMatrix};
    rename_hf_weights(weights_, shared_matrices);
    const auto bias = take_tensor(weights_, "final_logits_bias");
    take_positions();
    reorder_matrices(model_, weights_, source_, target_, weights_path_);
    model_.add_parameters(weights_, weights_path_, source_.dictionary, target_.dictionary);
    add_output_bias(bias);
  }

  static constexpr const char* kConfig = "config.json";

  HfFolder folder_;
  std::string weights_path_;
  std::string source_lang_, target_lang_;
  json config_;
  ImportedModel model_;
  HfVocabulary source_, target_;
  std::vector<TensorView> weights_;
};

}  // namespace

ImportedModel import_marian_mt(const ForeignModel& files) { return MarianMtImporter(files).run(); }

}  // namespace phraseq
