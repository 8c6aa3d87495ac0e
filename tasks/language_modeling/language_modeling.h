#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/blocks/block_corpus.h"
#include "core/data/joined/pair_data.h"
#include "core/data/options_from_data.h"
#include "core/data/task.h"
#include "core/data/vocabularies.h"

namespace phraseq {

/// The options of the task `language_modeling`.
struct LanguageModelingOptions final : Options {
  BlockOptions blocks;
  std::string language;
  std::string data_loader = "auto";
  std::string tokenizer = "auto";
  std::string subword_model;
  double bpe_dropout = 0.0;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  TokenizerFiles tokenizer_files() const;
};

/// Text of one language, whose tokens are predicted from the preceding ones: fairseq's task of the
/// same name with its target `future`.
///
/// A split is divided into blocks (BlockCorpus); a training set of several splits (training_splits)
/// is divided as one text. With several folders, A:B:C, each epoch of training uses one, in turn;
/// everything else comes from the first. A line of text to be continued is an example with the
/// extra kPromptExtra. Both dictionaries are the language's dictionary.
class LanguageModeling final : public Task, public OptionsFromData, public BlockSource {
 public:
  LanguageModeling(const LanguageModelingOptions& options, const TaskSetup& setup);
  LanguageModeling(const LanguageModeling&) = delete;  // the data loader refers to it
  LanguageModeling& operator=(const LanguageModeling&) = delete;

  const Dictionary& source_dictionary() const override { return side_->dictionary(); }
  const Dictionary& target_dictionary() const override { return side_->dictionary(); }
  const std::string& source_language() const override { return side_->language(); }
  const std::string& target_language() const override { return side_->language(); }
  /// Adds `max_block_tokens`, the longest block, and `start_with_bos`.
  ArchitectureSetup architecture_setup() const override;

  bool has_split(const std::string& split) const override;
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const SequenceConventions& conventions = {}) const override;
  const BlockOptions& block_options() const override { return options_.blocks; }
  std::unique_ptr<Corpus> open_blocks(const std::string& split,
                                      bool training,
                                      const BlockOptions& options) const override;
  /// Uses the sources and decoder inputs of the examples unchanged, because a block is not a
  /// sentence.
  Batch collate(const std::vector<Example>& examples,
                const SequenceConventions& conventions = {}) const override;

  /// A line to be continued; with a target, a line to be scored.
  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  std::string symbols(std::span<const int64_t> ids, PairSide side) const override;
  std::string text(std::span<const int64_t> ids, PairSide side) const override;

  TaskState save() const override { return vocabularies_.save(); }
  nlohmann::json options_from_data() const override;

 private:
  void open_data(const TaskSetup& setup);
  void check_agreement(const std::string& folder) const;

  LanguageModelingOptions options_;
  Vocabularies vocabularies_;
  std::unique_ptr<LanguageSide> side_;
  std::vector<std::string> folders_;
  std::unique_ptr<PairData> data_;  ///< of text without a target side; null = there is only text
};

}  // namespace phraseq
