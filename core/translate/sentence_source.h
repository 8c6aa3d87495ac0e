#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/io/line_reader.h"
#include "core/options/shards/shard.h"
#include "core/translate/translation_model.h"

namespace phraseq {

inline constexpr int64_t kAnyLength = std::numeric_limits<int64_t>::max();  ///< in tokens

/// Sentences to translate or to score, one after the other.
class PHRASEQ_API SentenceSource {
 public:
  virtual ~SentenceSource() = default;
  virtual std::optional<Example> next() = 0;
  /// Skips the next sentence; false at the end.
  virtual bool skip() = 0;
  /// True if every sentence has a translation.
  virtual bool has_references() const = 0;
  /// A fingerprint of the sentences so far, including skipped ones.
  virtual std::string fingerprint() const = 0;

  /// Call before the first sentence: `take` then skips the sentences of other shards.
  void take_only(const Shard& shard) { shard_ = shard; }
  /// The next sentences, at most `count`.
  std::vector<Example> take(int64_t count);
  /// The number of sentences that `take` has returned or skipped.
  int64_t passed() const { return passed_; }

 private:
  Shard shard_;
  int64_t passed_ = 0;
};

/// Line-parallel files; "-" = standard input, for one of them; empty = no such file.
struct TextFiles {
  std::string sources;
  std::string targets = {};
  std::string trees = {};  ///< bracketed trees of the sources
  /// Phrases for the translation follow each source (fairseq's TABs).
  bool with_constraints = false;
  bool keep_text = false;  ///< the examples carry the text of their sources
};

/// Sentences from raw lines, which the task encodes; sentence ids count lines from 0.
class PHRASEQ_API TextSource : public SentenceSource {
 public:
  /// Sources longer than `max_source_tokens` tokens are truncated to this length (`truncate`) or
  /// cause a DataError with their line. A file that ends before the others also causes a DataError.
  TextSource(const Task& task,
             const TextFiles& files,
             const LineReaderOptions& reading,
             int64_t max_source_tokens,
             bool truncate);
  std::optional<Example> next() override;
  bool skip() override;
  bool has_references() const override { return targets_.has_value(); }
  std::string fingerprint() const override;

 private:
  /// A line of each file.
  struct Lines {
    std::string source, target, tree;
  };
  bool read(Lines& lines);
  Example read_constrained(const std::string& line) const;
  void fit(Example& example) const;

  const Task& task_;
  LineReader sources_;
  std::optional<LineReader> targets_;
  std::optional<LineReader> trees_;
  int64_t max_source_tokens_;
  bool truncate_;
  bool with_constraints_;
  bool keep_text_;
  uint32_t sum_ = 0;  ///< CRC-32C of the lines so far
};

/// Sentences of a split of a data folder, in its order.
class PHRASEQ_API CorpusSource : public SentenceSource {
 public:
  /// Sources longer than `cut_to` tokens are truncated to this length.
  CorpusSource(std::unique_ptr<Corpus> corpus, int64_t cut_to)
      : corpus_(std::move(corpus)), cut_to_(cut_to) {}
  std::optional<Example> next() override;
  bool skip() override;
  bool has_references() const override;
  std::string fingerprint() const override { return corpus_->fingerprint(); }

 private:
  std::unique_ptr<Corpus> corpus_;
  int64_t cut_to_;
  int64_t next_ = 0;
};

/// Throws DataError unless every sentence of the split has a translation.
PHRASEQ_API void require_references(const Corpus& corpus, const std::string& split);

/// Opens a split, or throws a DataError if the folder has no split of this name. `cut_to`: as for
/// CorpusSource.
PHRASEQ_API std::unique_ptr<SentenceSource> open_split(const TranslationModel& model,
                                                       const std::string& folder,
                                                       const std::string& split,
                                                       int64_t cut_to);

/// Does the same for a split that must have references.
PHRASEQ_API std::unique_ptr<SentenceSource> open_split_with_references(
    const TranslationModel& model,
    const std::string& folder,
    const std::string& split,
    int64_t cut_to);

}  // namespace phraseq
