#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"
#include "core/data/task.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// A loader's corpus as a task's batches need it: sources have <s> and </s> as the model requires,
/// and different dictionaries give a different fingerprint. Errors of the loader name its plugin.
class PHRASEQ_API LoaderCorpus final : public Corpus {
 public:
  /// What its sentences have to be.
  struct Sentences {
    int64_t source_words = 0;  ///< size of the dictionary
    int64_t target_words = 0;
    bool need_target = false;
  };

  /// `dictionaries`: what the fingerprint says of them. The component outlives the corpus.
  LoaderCorpus(const Component& loader,
               std::unique_ptr<Corpus> corpus,
               const SequenceConventions& conventions,
               std::string dictionaries,
               const Sentences& sentences);

  int64_t size() const override;
  int64_t mean_epoch_size() const override { return corpus_->mean_epoch_size(); }
  int64_t source_length(int64_t index) const override;
  int64_t target_length(int64_t index) const override;
  /// Its ids are those of the dictionaries and end in </s>; otherwise an error blames the loader.
  Example get(int64_t index) const override;
  EmptyLengths empty_lengths() const override;
  std::vector<CorpusPart> parts() const override { return corpus_->parts(); }
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override;

 private:
  /// The tokens of a source of the plugin's corpus, with <s> and without </s> as the model
  /// requires.
  int64_t as_model_reads(int64_t source_length) const;
  std::string fault_of(const Example& example) const;

  const Component& loader_;
  std::unique_ptr<Corpus> corpus_;
  int64_t added_to_source_;
  int64_t taken_from_source_;
  std::string dictionaries_;
  Sentences sentences_;
};

/// The folders that a task reads: of A:B:C, a model needs only the first, as the others are for
/// training. Throws UsageError if there is neither a folder nor a checkpoint, and for a phrase
/// table that the task cannot use.
PHRASEQ_API std::vector<std::string> task_folders(const TaskSetup& setup,
                                                  std::string_view task,
                                                  bool has_phrase_memory = false);

/// The name of the loader that reads a task's data: `chosen`, or for "auto" `indexed` where the
/// folder has .idx files and text is not segmented at random (`samples`), else `text`. A built-in
/// loader or random segmentation that a checkpoint recorded applies only to its training data.
PHRASEQ_API std::string loader_for(const TaskSetup& setup, const std::string& chosen, bool samples);

}  // namespace phraseq
