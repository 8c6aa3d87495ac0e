#include "core/convert/hf/m2m100_import.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/convert/hf/hf_config.h"
#include "core/convert/hf/hf_folder.h"
#include "core/convert/hf/hf_weights.h"
#include "core/convert/hf/m2m100_config.h"
#include "core/convert/hf/m2m100_vocabulary.h"
#include "core/convert/named_tensors.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Under phraseq's names; sinusoids, which old versions store, are left out.
std::vector<TensorView> read_weights(const HfFolder& folder, ImportedModel& model) {
  std::vector<TensorView> weights = folder.weights(model);
  rename_hf_weights(weights, {kEncoderMatrix, kDecoderMatrix});
  std::erase_if(weights, [](const TensorView& tensor) {
    return tensor.name.ends_with(".embed_positions.weights");
  });
  return weights;
}

/// config.json's vocab_size. Symbols are made up to it, so it must be that of the embeddings.
int64_t vocabulary_size(const HfFolder& folder,
                        const json& config,
                        const std::vector<TensorView>& weights) {
  const std::string place = folder.file("config.json");
  const int64_t size = JsonEntry(config, place).at("vocab_size").whole_number(4);
  const TensorView* matrix = find_tensor(weights, kDecoderMatrix);
  if (matrix == nullptr || matrix->shape.empty())
    throw FormatError(fmt::format("{}: the embeddings are missing", folder.weights_file()));
  if (matrix->shape[0] != size) {
    throw FormatError(fmt::format("{}: vocab_size is {}, but {} has {} embeddings",
                                  place,
                                  size,
                                  folder.weights_file(),
                                  matrix->shape[0]),
                      "Give the config.json and the weights of the same model.");
  }
  return size;
}

/// Old tokenizers of NLLB put the language after the sentence.
void check_tokenizer(const HfFolder& folder) {
  if (!folder.has("tokenizer_config.json"))
    return;
  const json config = folder.json("tokenizer_config.json");
  if (config.is_object() && config.value("legacy_behaviour", json()) == true) {
    throw UsageError(
        fmt::format("{}: legacy_behaviour puts the language token after the sentence; "
                    "not supported",
                    folder.file("tokenizer_config.json")));
  }
}

/// In newer versions, this file lists the tokens that are never produced.
void check_generation_config(const HfFolder& folder, const json& config) {
  constexpr const char* kFile = "generation_config.json";
  if (!folder.has(kFile))
    return;
  const std::string place = folder.file(kFile);
  options_from_m2m100_config(with_generation_settings(config, folder.json(kFile), place), place);
}

}  // namespace

ImportedModel import_m2m100(const ForeignModel& files) {
  const HfFolder folder(files.weights);
  ImportedModel model;
  const json config = with_single_ids(folder.json("config.json"));
  const std::string config_path = folder.file("config.json");
  model.options = options_from_m2m100_config(config, config_path);
  check_generation_config(folder, config);
  check_tokenizer(folder);
  const std::vector<TensorView> weights = read_weights(folder, model);
  const int64_t size = vocabulary_size(folder, config, weights);
  const M2m100Vocabulary vocabulary = read_m2m100_vocabulary(folder, size);
  check_languages(vocabulary.languages, files.source_lang, files.target_lang);
  const Dictionary& dictionary = vocabulary.dictionary;
  model.set_vocabularies(vocabulary.languages[0], dictionary, vocabulary.languages[1], dictionary);
  model.add_parameters(weights, folder.weights_file(), dictionary, dictionary);
  const std::string pieces = folder.file("sentencepiece.bpe.model");
  model.set_sentencepiece(pieces, pieces);
  model.set_languages({}, vocabulary.languages);
  const bool is_plain = vocabulary.style == LanguageTokenStyle::kPlain;
  model.task_options = {{"source_lang", files.source_lang},
                        {"target_lang", files.target_lang},
                        {"encoder_langtok", "src"},
                        {"decoder_langtok", true},
                        {"lang_tok_style", is_plain ? "plain" : "multilingual"}};
  model.origin = {{"toolkit", "huggingface"}, {"weights", folder.weights_file()}};
  return model;
}

}  // namespace phraseq
