#pragma once

#include <memory>
#include <string>

#include "core/corpus/data_folder.h"
#include "core/data/data_loader.h"
#include "plugins/data_loaders/indexed/indexed_phrases.h"

namespace phraseq {

struct IndexedDataOptions : Options {
  void describe(OptionTable&) override {}
};

/// The splits of a data-bin folder. A folder made for the other direction (`SPLIT.TGT-SRC.*`)
/// serves as well, as with fairseq.
class IndexedData final : public DataLoader {
 public:
  IndexedData(const IndexedDataOptions& options, const DataLoaderSetup& setup);
  bool has_split(const std::string& split) const override;
  /// Throws IoError when the split is missing, FormatError when a file is damaged or not the
  /// manifest's, DataError when the sides have different numbers of sentences or an id is not in
  /// the dictionary. A missing target side is a split without targets, when not training. Parse
  /// trees of the source, where the folder holds them, are the examples' extra kTreeExtra; phrases,
  /// which a task can ask for, have to be there, and alignments in a training set.
  std::unique_ptr<Corpus> open(const std::string& split, bool training) const override;

 private:
  bool is_listed(const std::string& split) const;
  bool has_files(const std::string& split) const;
  bool has_target(const std::string& split) const;
  void refuse_unlisted_part(const std::string& split) const;
  IndexedDataset open_side(const std::string& split,
                           const std::string& language,
                           int64_t vocabulary) const;
  IndexedDataset open_alignments(const std::string& split) const;
  IndexedPhrases open_phrases(const std::string& split) const;

  DataFolder folder_;
  DataLoaderSetup setup_;
};

}  // namespace phraseq
