#include "core/convert/imported_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/fairseq/fairseq_weights.h"
#include "core/checkpoint/safetensors/float_values.h"
#include "core/checkpoint/safetensors/tensor_role.h"
#include "core/convert/option_ranges.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr const char* kSourceTokenizer = "source_tokenizer";

/// A component of phraseq with its options, as a checkpoint records it.
std::string component(const std::string& name, const json& options) {
  return json{
      {"name", name}, {"plugin", name}, {"plugin_version", PHRASEQ_VERSION}, {"options", options}}
      .dump();
}

/// The bytes of a tokenizer's model, those of a SentencePiece model checked.
std::string read_model(const std::string& tokenizer, const std::string& path) {
  std::string model = read_file(path);
  if (tokenizer == "sentencepiece")
    const SentencePieceTokenizer check(model, path);
  return model;
}

}  // namespace

void ImportedModel::set_vocabularies(const std::string& source_language,
                                     const Dictionary& source,
                                     const std::string& target_language,
                                     const Dictionary& target) {
  if (task == "translation" && (source_language.empty() || target_language.empty()))
    throw UsageError("the languages are not recorded in the model",
                     "Give --source-lang and --target-lang.");
  texts["source_language"] = source_language;
  texts["target_language"] = target_language;
  texts["source_dictionary"] = source.to_text();
  if (source == target) {
    texts["joined_dictionary"] = "yes";
  } else {
    texts["target_dictionary"] = target.to_text();
  }
}

void ImportedModel::set_tokenizer(const std::string& name,
                                  const json& tokenizer_options,
                                  const std::string& source_path,
                                  const std::string& target_path) {
  texts["tokenizer"] = name;
  texts["tokenizer_options"] = tokenizer_options.dump();
  if (source_path.empty())
    return;
  std::string source = read_model(name, source_path);
  std::string target = source_path == target_path ? source : read_model(name, target_path);
  const bool same = source == target;
  add_blob(kSourceTokenizer, std::move(source));
  if (!same)
    add_blob("target_tokenizer", std::move(target));
}

void ImportedModel::set_sentencepiece(const std::string& source_path,
                                      const std::string& target_path) {
  set_tokenizer("sentencepiece", json::object(), source_path, target_path);
}

void ImportedModel::set_sentencepiece_or_words(const std::string& path) {
  if (path.empty())
    set_tokenizer("word");
  else
    set_sentencepiece(path, path);
}

void ImportedModel::set_languages(const std::vector<LanguagePair>& pairs,
                                  const std::vector<std::string>& languages) {
  json names = json::array(), models = json::object();
  for (const LanguagePair& pair : pairs) names.push_back({pair.source, pair.target});
  for (const std::string& language : languages) {
    if (texts.at("tokenizer") != "word")
      models[language] = kSourceTokenizer;
  }
  task = "translation_multi_simple_epoch";
  texts["lang_pairs"] = names.dump();
  texts["languages"] = json(languages).dump();
  texts["models"] = models.dump();
}

void ImportedModel::add_parameters(std::span<const TensorView> weights,
                                   const std::string& path,
                                   const Dictionary& source,
                                   const Dictionary& target) {
  check_option_ranges(options, path);
  const auto found = weights_from_fairseq(weights, path, options, source.size(), target.size());
  tensors.insert(tensors.end(), found.begin(), found.end());
}

void ImportedModel::add_output_bias(const std::vector<double>& bias) {
  add_tensor("decoder.output_bias",
             DType::kF32,
             {static_cast<int64_t>(bias.size())},
             float_bytes(bias, DType::kF32));
}

void ImportedModel::add_tensor(const std::string& name,
                               DType dtype,
                               std::vector<int64_t> shape,
                               std::string bytes) {
  const std::string& kept = owned.emplace_back(std::move(bytes));
  tensors.push_back({name, dtype, std::move(shape), std::as_bytes(std::span(kept))});
}

void ImportedModel::add_blob(const std::string& name, std::string bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  add_tensor(std::string(kBlobPrefix) + name, DType::kU8, {size}, std::move(bytes));
}

void ImportedModel::write(const std::string& path) const {
  write_checkpoint(path,
                   {{"architecture", component(architecture, options)},
                    {"task", component(task, task_options)},
                    {"task_texts", json(texts).dump()},
                    {"imported", origin.dump()}},
                   tensors);
}

void check_languages(const std::vector<std::string>& languages,
                     const std::string& source,
                     const std::string& target) {
  for (const std::string& name : {source, target}) {
    if (name.empty() || std::ranges::find(languages, name) != languages.end())
      continue;
    constexpr size_t kShown = 2;
    const auto shown = std::span(languages).first(std::min(languages.size(), kShown));
    throw UsageError(fmt::format("'{}' is not one of the model's {} languages ({}{})",
                                 name,
                                 languages.size(),
                                 fmt::join(shown, ", "),
                                 languages.size() > kShown ? " …" : ""));
  }
}

}  // namespace phraseq
