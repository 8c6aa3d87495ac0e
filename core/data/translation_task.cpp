#include "core/data/translation_task.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/options/option_text.h"
#include "core/plugin/component_call.h"
#include "core/plugin/named_tokenizer.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSampling = "sentencepiece-alpha";

/// A loader's corpus as this task's batches have it: a source that gets <s> is a token longer, and
/// other dictionaries are other data. What the loader throws names its plugin.
class TaskCorpus final : public Corpus {
 public:
  TaskCorpus(const Component& loader,
             std::unique_ptr<Corpus> corpus,
             bool source_has_bos,
             std::string dictionaries)
      : loader_(loader),
        corpus_(std::move(corpus)),
        added_to_source_(source_has_bos ? 1 : 0),
        dictionaries_(std::move(dictionaries)) {}

  int64_t size() const override {
    return call_component(loader_, "size", [&] { return corpus_->size(); });
  }
  int64_t source_length(int64_t index) const override {
    return added_to_source_ +
           call_component(loader_, "source_length", [&] { return corpus_->source_length(index); });
  }
  int64_t target_length(int64_t index) const override {
    return call_component(loader_, "target_length", [&] { return corpus_->target_length(index); });
  }
  Example get(int64_t index) const override {
    return call_component(loader_, "get", [&] { return corpus_->get(index); });
  }
  void start_epoch(int64_t epoch) override {
    call_component(loader_, "start_epoch", [&] { corpus_->start_epoch(epoch); });
  }
  std::string fingerprint() const override {
    return call_component(loader_, "fingerprint", [&] { return corpus_->fingerprint(); }) +
           dictionaries_;
  }

 private:
  const Component& loader_;
  std::unique_ptr<Corpus> corpus_;
  int64_t added_to_source_;
  std::string dictionaries_;
};

bool holds_indexed_data(const std::string& folder) {
  std::error_code problem;
  return std::any_of(fs::directory_iterator(folder, problem),
                     fs::directory_iterator(),
                     [](const auto& entry) { return entry.path().extension() == ".idx"; });
}

}  // namespace

void TranslationOptions::describe(OptionTable& table) {
  table
      .field("source-lang",
             source_lang,
             "Source language; inferred from the data folder if it has one language pair.")
      .short_flag("s")
      .value_name("LANG");
  table
      .field("target-lang",
             target_lang,
             "Target language; inferred from the data folder if it has one language pair.")
      .short_flag("t")
      .value_name("LANG");
  table.field("data-loader",
              data_loader,
              "Data loader: indexed (files made by phraseq preprocess) or text (raw "
              "FOLDER/SPLIT.LANG, plain or .gz); auto = indexed if the folder has .idx files.");
  table.field("tokenizer",
              tokenizer,
              "Tokenizer for raw text; auto = the tokenizer of the data folder, or sentencepiece "
              "if there is a subword model, else word.");
  table
      .field("subword-model",
             subword_model,
             "SentencePiece model for both languages, if the data folder has none.")
      .alias("sentencepiece-model")
      .value_name("FILE");
  table
      .field("source-subword-model",
             source_subword_model,
             "SentencePiece model for the source language.")
      .value_name("FILE");
  table
      .field("target-subword-model",
             target_subword_model,
             "SentencePiece model for the target language.")
      .value_name("FILE");
  table
      .field("bpe-dropout",
             bpe_dropout,
             "Subword regularization: segment the training text at random, anew in every epoch. "
             "The value is the dropout probability of merges (BPE models) or the smoothing "
             "parameter (unigram models); 0 = off. Needs raw text.")
      .alias("sampling-alpha")
      .in(0.0, 1.0);
}

std::vector<std::string> TranslationOptions::problems() const {
  std::vector<std::string> found;
  if (!source_lang.empty() && source_lang == target_lang)
    found.push_back(fmt::format("--source-lang and --target-lang are both '{}'", source_lang));
  if (bpe_dropout > 0 && data_loader == "indexed")
    found.emplace_back("--bpe-dropout needs raw text: --data-loader text, not indexed");
  return found;
}

TokenizerFiles TranslationOptions::tokenizer_files() const {
  TokenizerFiles files{
      tokenizer == "auto" ? "" : tokenizer, source_subword_model, target_subword_model};
  if (tokenizer == "none")
    files.name = "word";
  if (files.source_model.empty())
    files.source_model = subword_model;
  if (files.target_model.empty())
    files.target_model = subword_model;
  if (files.name.empty() && !files.source_model.empty())
    files.name = "sentencepiece";
  return files;
}

TranslationTask::TranslationTask(const TranslationOptions& options, const TaskSetup& setup)
    : TranslationTask(options, setup, std::nullopt) {}

TranslationTask::TranslationTask(const TranslationOptions& options,
                                 const TaskSetup& setup,
                                 std::optional<PhraseSource> phrases)
    : options_(options) {
  if (!phrases && !setup.phrase_table.empty())
    throw UsageError("--phrase-table: the task of the model has no phrase memory");
  if (setup.state == nullptr && setup.data.empty())
    throw UsageError("task translation: neither a data folder nor a checkpoint was given");
  vocabularies_ =
      setup.state != nullptr
          ? Vocabularies::from_state(*setup.state)
          : Vocabularies::from_folder(
                setup.data, options.source_lang, options.target_lang, options.tokenizer_files());
  source_ = std::make_unique<LanguageSide>(vocabularies_.source,
                                           make_tokenizer(setup, vocabularies_.source));
  target_ = std::make_unique<LanguageSide>(vocabularies_.target,
                                           make_tokenizer(setup, vocabularies_.target));
  if (setup.data.empty())
    return;
  loader_name_ = loader_for(setup);
  loader_ = make_loader(setup, std::move(phrases));
}

/// A checkpoint's choice among phraseq's own loaders was about the data of its training.
std::string TranslationTask::loader_for(const TaskSetup& setup) const {
  const std::string& chosen = options_.data_loader;
  const bool of_training = setup.state != nullptr && (chosen == "indexed" || chosen == "text");
  if (chosen != "auto" && !of_training)
    return chosen;
  return holds_indexed_data(setup.data) && options_.bpe_dropout == 0 ? "indexed" : "text";
}

std::unique_ptr<Tokenizer> TranslationTask::make_tokenizer(const TaskSetup& setup,
                                                           const Vocabularies::Side& side) const {
  // A name that the user chose is an option; one that was recorded needs its plugin.
  const bool asked_for =
      setup.state == nullptr && options_.tokenizer_files().name == vocabularies_.tokenizer;
  Selection selection =
      asked_for ? setup.registry->select(Tokenizer::kKind, vocabularies_.tokenizer)
                : select_recorded(*setup.registry,
                                  Tokenizer::kKind,
                                  vocabularies_.tokenizer,
                                  setup.state != nullptr ? "the checkpoint" : setup.data);
  OptionTable table;
  selection.options->describe(table);
  from_json(table, vocabularies_.tokenizer_options, OptionOrigin::kCheckpoint);
  if (options_.bpe_dropout > 0) {
    OptionField* sampling = table.find(kSampling);
    if (sampling == nullptr)
      sampling = table.find("bpe-dropout");
    if (sampling == nullptr) {
      throw UsageError(fmt::format("--bpe-dropout: the tokenizer '{}' cannot segment at random",
                                   vocabularies_.tokenizer),
                       "use a SentencePiece model, or the tokenizers moses and bpe with --bpe");
    }
    sampling->from_text(fmt::format("{}", options_.bpe_dropout), OptionOrigin::kCommandLine);
  }
  return std::make_unique<NamedTokenizer>(
      selection, TokenizerSetup{side.model, side.model_name, side.language});
}

std::unique_ptr<DataLoader> TranslationTask::make_loader(const TaskSetup& setup,
                                                         std::optional<PhraseSource> phrases) {
  if (loader_name_ == "indexed" && setup.state != nullptr)
    check_folder(setup.data);
  DataLoaderSetup loading;
  loading.folder = setup.data;
  loading.source_language = source_language();
  loading.target_language = target_language();
  loading.encode_source = [this](const std::string& line, std::optional<uint64_t> seed) {
    return source_->encode(line, seed);
  };
  loading.encode_target = [this](const std::string& line, std::optional<uint64_t> seed) {
    return target_->encode(line, seed);
  };
  loading.encode_tree = [this](const std::string& line,
                               const std::string& tree,
                               const TextPlace& place,
                               std::optional<uint64_t> seed) {
    return source_->encode_tree(line, tree, place, seed);
  };
  loading.source_vocabulary = source_dictionary().size();
  loading.target_vocabulary = target_dictionary().size();
  loading.phrases = std::move(phrases);
  loading.sample = options_.bpe_dropout > 0;
  loading.seed = setup.seed;
  const Selection selection = setup.registry->select(DataLoader::kKind, loader_name_);
  loader_component_ = selection.component;
  return create<DataLoader>(selection, loading);
}

void TranslationTask::check_folder(const std::string& folder) const {
  const DataFolder data = DataFolder::open(folder, source_language(), target_language());
  for (const LanguageSide* side : {source_.get(), target_.get()}) {
    const std::string file = fmt::format("{}/dict.{}.txt", folder, side->language());
    if (!fs::exists(file) || data.dictionary(side->language()) == side->dictionary())
      continue;
    throw FormatError(
        fmt::format("{}: {} symbols, but the checkpoint has {}: the ids have different meanings",
                    file,
                    data.dictionary(side->language()).size(),
                    side->dictionary().size()),
        "preprocess the data with --srcdict and --tgtdict of the training data, or translate raw "
        "text");
  }
}

nlohmann::json TranslationTask::options_from_data() const {
  nlohmann::json options = {{"source_lang", source_language()}, {"target_lang", target_language()}};
  if (options_.tokenizer == "auto")
    options["tokenizer"] = vocabularies_.tokenizer;
  if (options_.data_loader == "auto" && loader_)
    options["data_loader"] = loader_name_;
  return options;
}

ArchitectureSetup TranslationTask::architecture_setup() const {
  return {source_dictionary().size(), target_dictionary().size(), vocabularies_.joined(), {}};
}

bool TranslationTask::has_split(const std::string& split) const {
  return loader_ &&
         call_component(*loader_component_, "has_split", [&] { return loader_->has_split(split); });
}

std::unique_ptr<Corpus> TranslationTask::open(const std::string& split,
                                              bool training,
                                              const SequenceConventions& conventions) const {
  if (!loader_)
    throw UsageError(
        fmt::format("the split '{}' was requested, but no data folder was given", split));
  auto corpus =
      call_component(*loader_component_, "open", [&] { return loader_->open(split, training); });
  return std::make_unique<TaskCorpus>(*loader_component_,
                                      std::move(corpus),
                                      conventions.source_has_bos,
                                      fmt::format(", dictionaries {:08x} {:08x}",
                                                  source_dictionary().fingerprint(),
                                                  target_dictionary().fingerprint()));
}

Batch TranslationTask::collate(const std::vector<Example>& examples,
                               const SequenceConventions& conventions) const {
  return collate_pairs(examples, conventions);
}

Example TranslationTask::encode(const std::string& source,
                                const std::optional<std::string>& target) const {
  Example example;
  example.source = source_->encode(source, std::nullopt);
  if (target)
    example.target = target_->encode(*target, std::nullopt);
  return example;
}

std::vector<int64_t> TranslationTask::encode_tree(const std::string& source,
                                                  const std::string& tree,
                                                  const TextPlace& place) const {
  return source_->encode_tree(source, tree, place, std::nullopt);
}

std::string TranslationTask::symbols(std::span<const int64_t> ids, bool target_side) const {
  return (target_side ? target_ : source_)->symbols(ids);
}

std::string TranslationTask::text(std::span<const int64_t> ids, bool target_side) const {
  return (target_side ? target_ : source_)->text(ids);
}

}  // namespace phraseq
