#include "tasks/language_modeling/language_modeling.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/data/joined/data_folders.h"
#include "core/data/text/task_data.h"
#include "core/data/text/task_tokenizer.h"

namespace phraseq {

void LanguageModelingOptions::describe(OptionTable& table) {
  blocks.describe_cuts(table);
  table.field("add-bos-token", blocks.add_bos_token, "Begin every block with <s>.");
  table
      .field("source-lang",
             language,
             "Language of the text; inferred from the data folder if it has only one.")
      .short_flag("s")
      .value_name("LANG");
  table.field("data-loader",
              data_loader,
              "Data loader: indexed (files made by phraseq preprocess --only-source) or text (raw "
              "FOLDER/SPLIT.LANG, plain or .gz); auto = indexed if the folder has .idx files.");
  describe_tokenizer(table, tokenizer);
  table.field("subword-model", subword_model, "SentencePiece model, if the data folder has none.")
      .alias("sentencepiece-model")
      .value_name("FILE");
  describe_bpe_dropout(table, bpe_dropout);
}

std::vector<std::string> LanguageModelingOptions::problems() const {
  std::vector<std::string> found;
  check_bpe_dropout(bpe_dropout, data_loader, found);
  return found;
}

TokenizerFiles LanguageModelingOptions::tokenizer_files() const {
  return TokenizerFiles::from_options(tokenizer, subword_model, subword_model);
}

LanguageModeling::LanguageModeling(const LanguageModelingOptions& options, const TaskSetup& setup)
    : options_(options), folders_(task_folders(setup, "language_modeling")) {
  vocabularies_ = setup.state != nullptr
                      ? Vocabularies::from_state(*setup.state)
                      : Vocabularies::from_monolingual_folder(
                            folders_.front(), options.language, options.tokenizer_files());
  side_ = std::make_unique<LanguageSide>(
      vocabularies_.source,
      task_tokenizer(setup,
                     vocabularies_,
                     vocabularies_.source,
                     {options.tokenizer_files().name, options.bpe_dropout}));
  if (!setup.data.empty())
    open_data(setup);
}

void LanguageModeling::open_data(const TaskSetup& setup) {
  for (size_t i = 1; i < folders_.size(); ++i) check_agreement(folders_[i]);
  const std::string loader = loader_for(setup, options_.data_loader, options_.bpe_dropout > 0);
  if (loader == "indexed" && setup.state != nullptr)
    require_dictionary_of(*side_,
                          DataFolder::open_monolingual(folders_.front(), source_language()));
  DataLoaderSetup loading;
  loading.source_language = source_language();
  loading.encode_source = [this](const std::string& line, std::optional<uint64_t> seed) {
    return side_->encode(line, seed);
  };
  loading.source_vocabulary = source_dictionary().size();
  loading.sample = options_.bpe_dropout > 0 && setup.state == nullptr;
  loading.seed = setup.seed;
  data_ = std::make_unique<PairData>(
      setup, loader, folders_, std::move(loading), /*upsample_primary=*/1);
}

/// Throws unless another folder of A:B:C has the same dictionary as the first one.
void LanguageModeling::check_agreement(const std::string& folder) const {
  const DataFolder data = DataFolder::open_monolingual(folder, source_language());
  require_same_dictionary(data, data.source(), source_dictionary(), folders_.front());
}

nlohmann::json LanguageModeling::options_from_data() const {
  nlohmann::json options = {{"source_lang", source_language()}};
  if (options_.tokenizer == "auto")
    options["tokenizer"] = vocabularies_.tokenizer;
  if (options_.data_loader == "auto" && data_)
    options["data_loader"] = data_->loader();
  return options;
}

ArchitectureSetup LanguageModeling::architecture_setup() const {
  const int64_t bos = options_.blocks.add_bos_token ? 1 : 0;
  return {source_dictionary().size(),
          target_dictionary().size(),
          /*joined_dictionary=*/true,
          {{"max_block_tokens", options_.blocks.tokens_per_sample + bos}, {"start_with_bos", bos}}};
}

bool LanguageModeling::has_split(const std::string& split) const {
  return data_ && data_->has_split(split);
}

std::unique_ptr<Corpus> LanguageModeling::open(const std::string& split,
                                               bool training,
                                               const SequenceConventions& conventions) const {
  if (training && conventions.reads_source) {
    throw UsageError(
        "task language_modeling needs a language model: an encoder would read the tokens that the "
        "model should predict",
        "Use --arch transformer_lm, or another architecture without an encoder.");
  }
  return open_blocks(split, training, options_.blocks);
}

std::unique_ptr<Corpus> LanguageModeling::open_blocks(const std::string& split,
                                                      bool training,
                                                      const BlockOptions& options) const {
  require_data_folder(data_ != nullptr, split);
  const std::string dictionary =
      fmt::format(", dictionary {:08x}", source_dictionary().fingerprint());
  return std::make_unique<BlockCorpus>(
      data_->open(split, training, {SequenceConventions{}, dictionary}), options);
}

Batch LanguageModeling::collate(const std::vector<Example>& examples,
                                const SequenceConventions& conventions) const {
  Batch batch;
  std::vector<std::vector<int64_t>> fed, generated;
  size_t with_target = 0;
  for (const Example& example : examples) {
    batch.sentence_ids.push_back(example.id);
    fed.push_back(example.source);
    generated.push_back(example.target);
    with_target += example.target.empty() ? 0 : 1;
    if (!example.target.empty() && example.target.size() != example.source.size()) {
      throw UsageError(
          fmt::format("task language_modeling: block {} has {} target tokens for {} input tokens",
                      example.id + 1,
                      example.target.size(),
                      example.source.size()));
    }
  }
  batch.source = PackedTokens::pack(fed);
  if (with_target == examples.size() && !examples.empty()) {
    batch.target_in = batch.source;
    batch.target_out = PackedTokens::pack(generated).ids;  // [tokens], packed as target_in
  } else if (with_target > 0) {
    throw UsageError("a batch holds blocks with and without a target");
  }
  if (conventions.extend)
    conventions.extend(examples, batch);
  return batch;
}

Example LanguageModeling::encode(const std::string& source,
                                 const std::optional<std::string>& target) const {
  Example example;
  if (target) {
    example.target = side_->encode(*target, std::nullopt);
    example.source = {options_.blocks.add_bos_token ? kBos : kEos};
    example.source.insert(example.source.end(), example.target.begin(), example.target.end() - 1);
    return example;
  }
  example.source = side_->encode(source, std::nullopt);
  example.extras[kPromptExtra].assign(example.source.begin(), example.source.end() - 1);
  return example;
}

std::string LanguageModeling::symbols(std::span<const int64_t> ids, PairSide /*side*/) const {
  return side_->symbols(ids);
}

std::string LanguageModeling::text(std::span<const int64_t> ids, PairSide /*side*/) const {
  return side_->text(ids);
}

}  // namespace phraseq
