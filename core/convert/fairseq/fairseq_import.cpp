#include "core/convert/fairseq/fairseq_import.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/convert/fairseq/fairseq_checkpoint.h"
#include "core/convert/fairseq/multilingual_import.h"
#include "core/convert/fairseq/older_weights.h"
#include "core/convert/torch/torch_file.h"
#include "core/corpus/data_folder.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/languages/language_pairs.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kLanguageModeling = "language_modeling";

bool has_dictionary(const std::string& folder, const std::string& language) {
  return fs::exists(dictionary_path(folder, language));
}

/// The folder of a checkpoint or its `data-bin`, the first that fits; empty if neither does.
template <typename Fits>
std::string folder_beside(const std::string& weights, const Fits& fits) {
  const fs::path parent = fs::path(weights).parent_path();
  const fs::path folder = parent.empty() ? "." : parent;
  for (const std::string& candidate : {folder.string(), (folder / "data-bin").string()}) {
    if (fits(candidate))
      return candidate;
  }
  return {};
}

/// The folder of the dictionaries of both languages.
std::string find_data(const ForeignModel& files) {
  const std::string found = folder_beside(files.weights, [&](const std::string& folder) {
    return has_dictionary(folder, files.source_lang) && has_dictionary(folder, files.target_lang);
  });
  if (!found.empty())
    return found;
  const fs::path folder = fs::path(files.weights).parent_path();
  throw IoError((folder / ("dict." + files.source_lang + ".txt")).string(),
                "find the dictionaries",
                0,
                "Give fairseq's data folder with --data; it has dict.LANG.txt for both languages.");
}

bool is_language_model(const FairseqCheckpoint& checkpoint) {
  return checkpoint.task == kLanguageModeling || is_fairseq_language_model(checkpoint.options);
}

void check_task(const FairseqCheckpoint& checkpoint, const std::string& path) {
  if (checkpoint.task.empty() || checkpoint.task == "translation" ||
      checkpoint.task == kMultilingualTask || is_language_model(checkpoint))
    return;
  throw UsageError(
      fmt::format("{}: a model of the task '{}'; only models of the tasks 'translation', "
                  "'translation_multi_simple_epoch' and 'language_modeling' can be imported",
                  path,
                  checkpoint.task));
}

/// The given subword model for both sides, or else the tokenizer with which the data folder was
/// made, with its models of these languages.
void take_tokenizer(ImportedModel& model,
                    const ForeignModel& files,
                    const DataFolder& folder,
                    const LanguagePair& languages) {
  if (!files.sentencepiece.empty())
    return model.set_sentencepiece(files.sentencepiece, files.sentencepiece);
  model.set_tokenizer(folder.tokenizer(),
                      folder.tokenizer_options(),
                      folder.tokenizer_model(languages.source),
                      folder.tokenizer_model(languages.target));
}

/// Fills the model in from options, weights and the data folder.
void fill(ImportedModel& model,
          const ForeignModel& files,
          const json& fairseq_options,
          const std::string& options_name,
          const std::vector<TensorView>& weights) {
  model.options = options_from_fairseq(fairseq_options, options_name);
  if (is_fairseq_alignment_model(fairseq_options))
    model.architecture = "transformer_align";
  const auto folder = DataFolder::open(files.data, files.source_lang, files.target_lang);
  const Dictionary source = folder.dictionary(folder.source());
  const Dictionary target = folder.dictionary(folder.target());
  model.set_vocabularies(folder.source(), source, folder.target(), target);
  if (model.options.at("share_all_embeddings") == true && !model.joined()) {
    throw FormatError(fmt::format(
        "{}: the options share all embeddings, but the dictionaries differ", files.data));
  }
  model.add_parameters(with_present_names(weights), files.weights, source, target);
  take_tokenizer(model, files, folder, {folder.source(), folder.target()});
}

/// The options of the task language_modeling that fairseq recorded.
json block_options(const json& fairseq) {
  json options = {{"add_bos_token", fairseq.value("add_bos_token", json()) == true}};
  if (const json size = fairseq.value("tokens_per_sample", json()); size.is_number_integer())
    options["tokens_per_sample"] = size;
  if (const json mode = fairseq.value("sample_break_mode", json()); mode.is_string())
    options["sample_break_mode"] = mode;
  return options;
}

/// The folder of a language model's dictionary.
std::string find_monolingual_data(const ForeignModel& files) {
  const std::string found = folder_beside(files.weights, [&](const std::string& folder) {
    return has_dictionary(folder, files.source_lang) || has_dictionary(folder, "");
  });
  if (!found.empty())
    return found;
  throw IoError((fs::path(files.weights).parent_path() / "dict.txt").string(),
                "find the dictionary",
                0,
                "Give fairseq's data folder with --data; it has dict.txt.");
}

/// The language in the name of the dictionary: dict.txt, which fairseq usually writes, has none.
std::string language_of_dictionary(const ForeignModel& files) {
  const bool is_nameless =
      !has_dictionary(files.data, files.source_lang) && has_dictionary(files.data, "");
  return is_nameless ? "" : files.source_lang;
}

/// A language model has no separate target language.
void check_one_language(const ForeignModel& files) {
  if (files.target_lang.empty() || files.target_lang == files.source_lang)
    return;
  throw UsageError(
      fmt::format("{}: a language model has one language; --target-lang {} is not used",
                  files.weights,
                  files.target_lang),
      "Give its language with --source-lang only.");
}

/// Fills a language model in. The longest block is the task's where the model records none.
void fill_language_model(ImportedModel& model,
                         ForeignModel files,
                         const FairseqCheckpoint& checkpoint) {
  check_one_language(files);
  if (files.data.empty())
    files.data = find_monolingual_data(files);
  json options = checkpoint.options;
  model.task = kLanguageModeling;
  model.task_options = block_options(checkpoint.task_options);
  if (model.task_options.contains("tokens_per_sample"))
    options["tokens_per_sample"] = model.task_options["tokens_per_sample"];
  model.architecture = "transformer_lm";
  model.options = language_model_options_from_fairseq(options, files.weights);
  const auto folder = DataFolder::open_monolingual(files.data, language_of_dictionary(files));
  const Dictionary dictionary = folder.dictionary(folder.source());
  const std::string language = files.source_lang.empty() ? folder.source() : files.source_lang;
  model.set_vocabularies(language, dictionary, language, dictionary);
  model.add_parameters(
      with_present_names(checkpoint.weights), files.weights, dictionary, dictionary);
  take_tokenizer(model, files, folder, {folder.source(), folder.source()});
}

/// The folder of a multilingual model's dictionaries: that of the checkpoint, or its `data-bin`.
std::string find_folder(const ForeignModel& files) {
  const fs::path folder = fs::path(files.weights).parent_path();
  const fs::path inner = folder / "data-bin";
  if (fs::is_directory(inner))
    return inner.string();
  return folder.empty() ? "." : folder.string();
}

ImportedModel import_checkpoint(ForeignModel files) {
  ImportedModel model;
  const auto file = std::make_shared<TorchFile>(TorchFile::open(files.weights));
  model.files.push_back(file);
  const FairseqCheckpoint checkpoint = read_fairseq_checkpoint(*file);
  check_task(checkpoint, files.weights);
  model.origin = {{"toolkit", "fairseq"}, {"weights", files.weights}};
  if (is_language_model(checkpoint)) {
    fill_language_model(model, files, checkpoint);
    return model;
  }
  if (checkpoint.task == kMultilingualTask) {
    if (files.data.empty())
      files.data = find_folder(files);
    fill_multilingual(model, files, checkpoint);
    return model;
  }
  if (files.source_lang.empty())
    files.source_lang = checkpoint.source_lang;
  if (files.target_lang.empty())
    files.target_lang = checkpoint.target_lang;
  if (files.data.empty())
    files.data = find_data(files);
  fill(model, files, checkpoint.options, files.weights, checkpoint.weights);
  return model;
}

ImportedModel import_safetensors(const ForeignModel& files) {
  ImportedModel model;
  const auto file = std::make_shared<CheckpointFile>(CheckpointFile::open(files.weights));
  model.files.push_back(file);
  const json options = parse_json(read_file(files.options), files.options);
  fill(model, files, options, files.options, file->tensors());
  model.origin = {{"toolkit", "fairseq"}, {"weights", files.weights}, {"options", files.options}};
  return model;
}

}  // namespace

ImportedModel import_fairseq(const ForeignModel& files) {
  return files.options.empty() ? import_checkpoint(files) : import_safetensors(files);
}

}  // namespace phraseq
