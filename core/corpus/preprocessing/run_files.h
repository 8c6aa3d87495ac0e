#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/corpus/preprocess_options.h"
#include "core/corpus/split_check.h"
#include "core/corpus/text_encoder.h"
#include "core/options/shards/shard.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The index of the training text among the splits.
inline constexpr size_t kTrain = 0;

/// One language of a run of `preprocess`.
struct RunSide {
  size_t number = 0;  ///< 0 = source, 1 = target: its index among a split's files
  std::string language;
  std::unique_ptr<Tokenizer> tokenizer;
  std::shared_ptr<const Dictionary> dictionary;
  std::vector<int64_t> final_ids;  ///< of the provisional ids; empty if the dictionary was given
};
using RunSides = std::vector<RunSide*>;

/// The language of a side in the log, or "text" if it has none (--only-source).
std::string language_text(const RunSide& side);
/// "en" or "en, de".
std::string languages_text(const RunSides& sides);

/// Where a run of `preprocess` reads and writes: the texts, split by split and language by
/// language, and the files in the folder that becomes the result.
class RunFiles {
 public:
  /// `shard`: the part of the training text that the run writes. `options` must outlive the object.
  RunFiles(const PreprocessOptions& options,
           std::vector<SplitText> splits,
           std::vector<SplitReport> reports,
           const Shard& shard,
           std::string folder);

  const std::vector<SplitText>& splits() const { return splits_; }
  const SplitReport& report(size_t split) const { return reports_[split]; }
  const Shard& shard() const { return shard_; }
  const std::string& folder() const { return folder_; }
  /// The target language, or fairseq's name for its absence.
  std::string target_language() const;

  CheckedText text(size_t split, const RunSide& side) const;

  std::string staged(const std::string& name) const { return folder_ + "/" + name; }
  /// Prefix of the training text with provisional ids.
  std::string provisional(const RunSide& side) const {
    return staged("provisional." + side.language);
  }
  /// Prefix of a text's indexed data set.
  std::string result(size_t split, const RunSide& side) const;
  /// Prefix of the alignments of both texts of a split.
  std::string alignments(size_t split) const;

 private:
  const PreprocessOptions& options_;
  std::vector<SplitText> splits_;
  std::vector<SplitReport> reports_;
  Shard shard_;
  std::string folder_;
};

}  // namespace phraseq
