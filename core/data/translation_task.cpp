#include "core/data/translation_task.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/data/joined/data_folders.h"
#include "core/data/text/task_data.h"
#include "core/data/text/task_tokenizer.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

/// The first folder of A:B:C and another one, which must agree with it.
struct FolderPair {
  DataFolder first, other;

  [[noreturn]] void reject(const std::string& what) const {
    throw DataError(fmt::format("{}: {}", other.path(), what), kPreprocessAlike);
  }

  void check_tokenizer() const {
    if (other.tokenizer() == first.tokenizer() &&
        other.tokenizer_options() == first.tokenizer_options())
      return;
    reject(fmt::format("the tokenizer is {} {}, but {} has {} {}",
                       other.tokenizer(),
                       other.tokenizer_options().dump(),
                       first.path(),
                       first.tokenizer(),
                       first.tokenizer_options().dump()));
  }

  void check_model(const std::string& language) const {
    const std::string model = other.tokenizer_model(language);
    const std::string expected = first.tokenizer_model(language);
    if (model.empty() != expected.empty() ||
        (!model.empty() && file_crc32c(model) != file_crc32c(expected)))
      reject(fmt::format("the subword model of {} is not that of {}", language, first.path()));
  }
};

void describe_languages(OptionTable& table, TranslationOptions& o) {
  table
      .field("source-lang",
             o.source_lang,
             "Source language; inferred from the data folder if it has one language pair.")
      .short_flag("s")
      .value_name("LANG");
  table
      .field("target-lang",
             o.target_lang,
             "Target language; inferred from the data folder if it has one language pair.")
      .short_flag("t")
      .value_name("LANG");
  table.field("data-loader",
              o.data_loader,
              "Data loader: indexed (files made by phraseq preprocess) or text (raw "
              "FOLDER/SPLIT.LANG, plain or .gz); auto = indexed if the folder has .idx files.");
}

void describe_tokenizers(OptionTable& table, TranslationOptions& o) {
  describe_tokenizer(table, o.tokenizer);
  table
      .field("subword-model",
             o.subword_model,
             "SentencePiece model for both languages, if the data folder has none.")
      .alias("sentencepiece-model")
      .value_name("FILE");
  table
      .field("source-subword-model",
             o.source_subword_model,
             "SentencePiece model for the source language.")
      .value_name("FILE");
  table
      .field("target-subword-model",
             o.target_subword_model,
             "SentencePiece model for the target language.")
      .value_name("FILE");
  describe_bpe_dropout(table, o.bpe_dropout);
}

void describe_training_data(OptionTable& table, TranslationOptions& o) {
  table
      .field(
          "upsample-primary",
          o.upsample_primary,
          "If the training set has several parts (train, train1 …), use the first one N times; -1 "
          "= once.")
      .in(-1, 1000000);
  table.field("load-alignments",
              o.load_alignments,
              "Load the alignments of the training set, and of the validation sets that have them, "
              "from a data folder that was made with phraseq preprocess --align-suffix.");
}

}  // namespace

void TranslationOptions::describe(OptionTable& table) {
  describe_languages(table, *this);
  describe_tokenizers(table, *this);
  describe_training_data(table, *this);
}

std::vector<std::string> TranslationOptions::problems() const {
  std::vector<std::string> found;
  if (!source_lang.empty() && source_lang == target_lang)
    found.push_back(fmt::format("--source-lang and --target-lang are both '{}'", source_lang));
  if (upsample_primary == 0)
    found.emplace_back("--upsample-primary 0 would leave out the first part of the training set");
  check_bpe_dropout(bpe_dropout, data_loader, found);
  if (load_alignments && (bpe_dropout > 0 || data_loader == "text"))
    found.emplace_back(
        "--load-alignments needs indexed data: do not combine it with --data-loader text or "
        "--bpe-dropout");
  return found;
}

TokenizerFiles TranslationOptions::tokenizer_files() const {
  const auto or_of_both = [&](const std::string& model) {
    return model.empty() ? subword_model : model;
  };
  return TokenizerFiles::from_options(
      tokenizer, or_of_both(source_subword_model), or_of_both(target_subword_model));
}

namespace {

Vocabularies vocabularies_of(const TranslationOptions& options,
                             const TaskSetup& setup,
                             const std::vector<std::string>& folders) {
  if (setup.state != nullptr)
    return Vocabularies::from_state(*setup.state);
  return Vocabularies::from_folder(
      folders.front(), options.source_lang, options.target_lang, options.tokenizer_files());
}

}  // namespace

TranslationTask::TranslationTask(const TranslationOptions& options, const TaskSetup& setup)
    : TranslationTask(options, setup, std::nullopt) {}

TranslationTask::TranslationTask(const TranslationOptions& options,
                                 const TaskSetup& setup,
                                 std::optional<PhraseSource> phrases)
    : options_(options), folders_(task_folders(setup, "translation", phrases.has_value())) {
  vocabularies_ = vocabularies_of(options, setup, folders_);
  const TokenizerChoice choice{options.tokenizer_files().name, options.bpe_dropout};
  const auto side = [&](const Vocabularies::Side& of) {
    return std::make_unique<LanguageSide>(of, task_tokenizer(setup, vocabularies_, of, choice));
  };
  source_ = side(vocabularies_.source);
  target_ = side(vocabularies_.target);
  if (!setup.data.empty())
    open_data(setup, std::move(phrases));
}

void TranslationTask::open_data(const TaskSetup& setup, std::optional<PhraseSource> phrases) {
  for (size_t i = 1; i < folders_.size(); ++i) check_agreement(folders_[i]);
  const std::string loader = loader_for(setup, options_.data_loader, options_.bpe_dropout > 0);
  if (loader == "indexed" && setup.state != nullptr)
    check_folder(folders_.front());
  if (loader == "text" && setup.state == nullptr && options_.load_alignments) {
    throw UsageError(fmt::format("--load-alignments: {} is a folder of raw text", folders_.front()),
                     "Run phraseq preprocess with --align-suffix, and train on its data folder.");
  }
  data_ = std::make_unique<PairData>(
      setup, loader, folders_, loading(setup, std::move(phrases)), options_.upsample_primary);
}

DataLoaderSetup TranslationTask::loading(const TaskSetup& setup,
                                         std::optional<PhraseSource> phrases) const {
  DataLoaderSetup loading;
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
  loading.alignments = options_.load_alignments;
  loading.sample = options_.bpe_dropout > 0 && setup.state == nullptr;
  loading.seed = setup.seed;
  return loading;
}

void TranslationTask::check_folder(const std::string& folder) const {
  const DataFolder data = DataFolder::open(folder, source_language(), target_language());
  for (const LanguageSide* side : {source_.get(), target_.get()})
    require_dictionary_of(*side, data);
}

/// The ids of another folder of A:B:C have to mean what those of the first mean.
void TranslationTask::check_agreement(const std::string& folder) const {
  const FolderPair folders{DataFolder::open(folders_.front(), source_language(), target_language()),
                           DataFolder::open(folder, source_language(), target_language())};
  for (const LanguageSide* side : {source_.get(), target_.get()}) {
    require_same_dictionary(folders.other, side->language(), side->dictionary(), folders_.front());
  }
  if (folders.first.manifest().is_null() || folders.other.manifest().is_null())
    return;
  folders.check_tokenizer();
  for (const LanguageSide* side : {source_.get(), target_.get()})
    folders.check_model(side->language());
}

nlohmann::json TranslationTask::options_from_data() const {
  nlohmann::json options = {{"source_lang", source_language()}, {"target_lang", target_language()}};
  if (options_.tokenizer == "auto")
    options["tokenizer"] = vocabularies_.tokenizer;
  if (options_.data_loader == "auto" && data_)
    options["data_loader"] = data_->loader();
  return options;
}

ArchitectureSetup TranslationTask::architecture_setup() const {
  return {source_dictionary().size(), target_dictionary().size(), vocabularies_.joined(), {}};
}

bool TranslationTask::has_split(const std::string& split) const {
  return data_ && data_->has_split(split);
}

std::unique_ptr<Corpus> TranslationTask::open(const std::string& split,
                                              bool training,
                                              const SequenceConventions& conventions) const {
  require_data_folder(data_ != nullptr, split);
  const std::string dictionaries = fmt::format(", dictionaries {:08x} {:08x}",
                                               source_dictionary().fingerprint(),
                                               target_dictionary().fingerprint());
  return data_->open(split, training, {conventions, dictionaries});
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

std::string TranslationTask::symbols(std::span<const int64_t> ids, PairSide side) const {
  return (side == PairSide::kTarget ? target_ : source_)->symbols(ids);
}

std::string TranslationTask::text(std::span<const int64_t> ids, PairSide side) const {
  return (side == PairSide::kTarget ? target_ : source_)->text(ids);
}

}  // namespace phraseq
