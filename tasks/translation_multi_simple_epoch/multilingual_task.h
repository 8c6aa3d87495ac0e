#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/joined/pair_data.h"
#include "core/data/multilingual/directions.h"
#include "core/data/multilingual/sampled_corpus.h"
#include "core/data/options_from_data.h"
#include "core/data/task.h"
#include "tasks/translation_multi_simple_epoch/language_text.h"
#include "tasks/translation_multi_simple_epoch/language_vocabularies.h"
#include "tasks/translation_multi_simple_epoch/pair_folders.h"

namespace phraseq {

/// Translation between several languages with one model: fairseq's task of the same name.
///
/// Training uses the sentence pairs of --lang-pairs, each with the language tokens of its direction
/// (DirectionTags), drawn by weights (SampledCorpus). Other splits contain the data of all pairs,
/// one after the other, or only of the direction that the setup chooses. Any direction between two
/// of the languages can be chosen, even one that was not trained. The data of a pair are in DATA,
/// named as in fairseq, or in DATA/SOURCE-TARGET; DATA may be several folders, A:B:C, of which each
/// epoch uses one.
class MultilingualTask final : public Task, public OptionsFromData, public SeveralDirections {
 public:
  MultilingualTask(const MultilingualOptions& options, const TaskSetup& setup);
  MultilingualTask(const MultilingualTask&) = delete;  // the data loaders refer to it
  MultilingualTask& operator=(const MultilingualTask&) = delete;

  const Dictionary& source_dictionary() const override { return vocabularies_.source; }
  const Dictionary& target_dictionary() const override { return vocabularies_.target; }
  /// The source language of the direction of translation; if none is chosen, the source language of
  /// the first direction of training.
  const std::string& source_language() const override { return direction_.source; }
  const std::string& target_language() const override { return direction_.target; }
  ArchitectureSetup architecture_setup() const override;

  std::string directions() const override;
  bool has_direction() const override { return is_chosen_; }
  std::vector<std::string> target_languages() const override;

  bool has_split(const std::string& split) const override;
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const SequenceConventions& conventions = {}) const override;

  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  std::vector<int64_t> encode_tree(const std::string& source,
                                   const std::string& tree,
                                   const TextPlace& place) const override;
  /// Omits the language token of the target, as fairseq does; a source keeps its token.
  std::string symbols(std::span<const int64_t> ids, PairSide side) const override;
  std::string text(std::span<const int64_t> ids, PairSide side) const override;

  TaskState save() const override { return vocabularies_.save(direction_); }
  nlohmann::json options_from_data() const override;

 private:
  /// The data of a pair, if there is any.
  struct PairPart {
    LanguagePair pair;
    PairData data;
  };

  void choose_direction(const TaskSetup& setup);
  void open_pairs();
  PairPart open_pair(const LanguagePair& pair) const;
  DataLoaderSetup loading(const LanguagePair& pair) const;
  PairSampling sampling() const;
  std::unique_ptr<Corpus> open_part(const PairPart& part,
                                    const std::string& split,
                                    bool training,
                                    const SequenceConventions& conventions) const;
  std::unique_ptr<Corpus> open_training(const std::string& split,
                                        const SequenceConventions& conventions) const;
  std::unique_ptr<Corpus> open_others(const std::string& split,
                                      const SequenceConventions& conventions) const;

  bool reads_one_direction() const;
  const std::string& target_language_of(std::span<const int64_t> ids) const;
  std::vector<int64_t> without_tokens(std::span<const int64_t> ids, PairSide side) const;

  MultilingualOptions options_;
  TaskSetup setup_;  ///< its state exists only during construction
  PairFolders folders_;
  LanguageVocabularies vocabularies_;
  LanguageText text_;
  LanguagePair direction_;
  bool is_chosen_ = false;
  bool is_requested_ = false;  ///< chosen by the setup: other directions are skipped
  std::vector<PairPart> parts_;
};

}  // namespace phraseq
