#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"
#include "core/data/example.h"
#include "core/data/sequence_conventions.h"
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
    bool need_alignment = false;
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
  /// The ids of the example are in the dictionaries and end in </s>; otherwise, throws an error
  /// that names the loader.
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

}  // namespace phraseq
