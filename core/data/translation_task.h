#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/joined/pair_data.h"
#include "core/data/options_from_data.h"
#include "core/data/task.h"
#include "core/data/vocabularies.h"

namespace phraseq {

/// The options of the task `translation`, and of tasks that derive from it.
struct PHRASEQ_API TranslationOptions : Options {
  std::string source_lang;
  std::string target_lang;
  std::string data_loader = "auto";
  std::string tokenizer = "auto";
  std::string subword_model;
  std::string source_subword_model;
  std::string target_subword_model;
  double bpe_dropout = 0.0;
  int64_t upsample_primary = 1;
  bool load_alignments = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
  TokenizerFiles tokenizer_files() const;
};

/// Sentences of one language into another: the task `translation`, and the base of tasks that add
/// to its batches.
///
/// Vocabularies and tokenizers come from the checkpoint's state when there is one, else from the
/// data folder. A folder whose dictionaries differ from the checkpoint's is refused.
///
/// The data may be several folders, A:B:C. Each epoch of training then uses the training splits of
/// one of them, in turn; everything else comes from the first. Their dictionaries and tokenizers
/// must agree.
class PHRASEQ_API TranslationTask : public Task, public OptionsFromData {
 public:
  TranslationTask(const TranslationOptions& options, const TaskSetup& setup);
  TranslationTask(const TranslationTask&) = delete;  // the data loader calls back
  TranslationTask& operator=(const TranslationTask&) = delete;

  const Dictionary& source_dictionary() const override { return source_->dictionary(); }
  const Dictionary& target_dictionary() const override { return target_->dictionary(); }
  const std::string& source_language() const override { return source_->language(); }
  const std::string& target_language() const override { return target_->language(); }
  ArchitectureSetup architecture_setup() const override;

  bool has_split(const std::string& split) const override;
  /// Opens a split. When training, `split` may be a list, and a single name includes its numbered
  /// parts (training_splits).
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const SequenceConventions& conventions = {}) const override;

  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  std::vector<int64_t> encode_tree(const std::string& source,
                                   const std::string& tree,
                                   const TextPlace& place) const override;
  std::string symbols(std::span<const int64_t> ids, PairSide side) const override;
  std::string text(std::span<const int64_t> ids, PairSide side) const override;

  TaskState save() const override { return vocabularies_.save(); }
  /// The languages; the tokenizer and the data loader where they were chosen automatically.
  nlohmann::json options_from_data() const override;

 protected:
  /// Constructs a task whose examples contain phrases; `phrases->find` is not called before this is
  /// done.
  TranslationTask(const TranslationOptions& options,
                  const TaskSetup& setup,
                  std::optional<PhraseSource> phrases);

  const Vocabularies& vocabularies() const { return vocabularies_; }

 private:
  void open_data(const TaskSetup& setup, std::optional<PhraseSource> phrases);
  DataLoaderSetup loading(const TaskSetup& setup, std::optional<PhraseSource> phrases) const;
  void check_folder(const std::string& folder) const;
  void check_agreement(const std::string& folder) const;

  TranslationOptions options_;
  Vocabularies vocabularies_;
  std::unique_ptr<LanguageSide> source_;
  std::unique_ptr<LanguageSide> target_;
  std::vector<std::string> folders_;
  std::unique_ptr<PairData> data_;  ///< null = there is only text
};

}  // namespace phraseq
