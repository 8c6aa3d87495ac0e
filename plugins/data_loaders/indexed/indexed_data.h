#pragma once

#include <memory>
#include <string>

#include "core/corpus/data_folder.h"
#include "core/data/data_loader.h"
#include "plugins/data_loaders/indexed/indexed_phrases.h"

namespace phraseq {

/// The loader has no options: the task names the folder.
struct IndexedDataOptions : Options {
  void describe(OptionTable&) override {}
};

/// The splits of a data-bin folder. A folder made for the other direction (`SPLIT.TGT-SRC.*`) can
/// also be used, as in fairseq.
class IndexedData final : public DataLoader {
 public:
  IndexedData(const IndexedDataOptions& options, const DataLoaderSetup& setup);
  bool has_split(const std::string& split) const override;
  /// Throws IoError if the split is missing, FormatError if a file is damaged or differs from the
  /// manifest's record, and DataError if the sides have different numbers of sentences or an id is
  /// not in the dictionary. Outside of training, a missing target side means a split without
  /// targets. Parse trees of the source, if the folder has them, are the examples' extra
  /// kTreeExtra. If the task requests phrases or alignments, phrases must exist in every split, and
  /// alignments in training sets.
  std::unique_ptr<Corpus> open(const std::string& split, bool training) const override;

 private:
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
