#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"
#include "core/data/sequence_conventions.h"
#include "core/data/task.h"
#include "core/data/text/loader_corpus.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// How the data of a pair is opened.
struct PairReading {
  SequenceConventions conventions;
  std::string dictionaries;  ///< what the corpus's fingerprint says of them
};

/// The data of one language pair in one or several folders (A:B:C), read by one kind of loader.
class PHRASEQ_API PairData {
 public:
  /// `setup` has the components and the values of the loader's options. `loading` says how each
  /// folder is read; the folder's name is put in here. `upsample_primary`: how often the first of
  /// several parts of a training set is used.
  PairData(const TaskSetup& setup,
           std::string loader,
           std::vector<std::string> folders,
           DataLoaderSetup loading,
           int64_t upsample_primary);

  const std::string& loader() const { return loader_name_; }
  /// True if the first folder has the split.
  bool has_split(const std::string& split) const;
  /// Opens a split. When training, `split` may be a list, a single name includes its numbered parts
  /// (training_splits), and of several folders each epoch uses one (RotatingCorpus). Everything
  /// else comes from the first folder. Throws UsageError when a language model is to be trained.
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const PairReading& reading) const;

 private:
  bool has_split_in(size_t folder, const std::string& split) const;
  std::unique_ptr<Corpus> open_split(size_t folder,
                                     const std::string& split,
                                     bool training,
                                     const PairReading& reading) const;
  std::unique_ptr<Corpus> open_training(size_t folder,
                                        const std::string& subset,
                                        const PairReading& reading) const;

  std::string loader_name_;
  std::vector<std::string> folders_;
  LoaderCorpus::Sentences sentences_;                 ///< of a training set
  std::vector<std::unique_ptr<DataLoader>> loaders_;  ///< one per folder
  const Component* component_ = nullptr;
  int64_t upsample_primary_;
};

}  // namespace phraseq
