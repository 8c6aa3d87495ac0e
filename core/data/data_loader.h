#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/base/error.h"
#include "core/data/example.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The lengths of an example without words: </s> and what a task adds to it.
struct EmptyLengths {
  int64_t source = 1;
  int64_t target = 1;
};

/// A named range of a corpus (a language pair), `end` excluded.
struct CorpusPart {
  std::string name;
  int64_t begin = 0;
  int64_t end = 0;
};

/// A random-access corpus: what a data loader batches. Thread-safe after `start_epoch`.
class PHRASEQ_API Corpus {
 public:
  virtual ~Corpus() = default;
  virtual int64_t size() const = 0;
  /// Mean number of examples of an epoch, where epochs differ in size.
  virtual int64_t mean_epoch_size() const { return size(); }
  /// Lengths in tokens, with </s> and what the task adds; 0 <= index < size().
  virtual int64_t source_length(int64_t index) const = 0;
  virtual int64_t target_length(int64_t index) const = 0;
  /// The example. Throws DataError or FormatError if its text or its data cannot be used.
  virtual Example get(int64_t index) const = 0;
  /// Lengths of examples without words; 0 for blocks of running text, which need not end in </s>.
  virtual EmptyLengths empty_lengths() const { return {}; }
  /// The parts whose losses are also reported one by one, in order; none if the corpus is
  /// undivided.
  virtual std::vector<CorpusPart> parts() const { return {}; }
  /// Call before the first read of an epoch: a corpus that segments at random draws again, by
  /// (seed, epoch, line).
  virtual void start_epoch(int64_t /*epoch*/) {}
  /// A text that is equal for equal data: stored in checkpoints, compared at resume.
  virtual std::string fingerprint() const = 0;
};

/// The source of the phrases in a task's examples, Example::phrases.
struct PhraseSource {
  /// Finds the phrases of a raw sentence, with their spans if its translation is known.
  std::function<std::vector<ExamplePhrase>(const std::string& source,
                                           const std::optional<std::string>& target)>
      find;
  uint32_t fingerprint = 0;  ///< equal if all results of `find` are equal
};

/// The arguments of a data loader: the location of a task's text and how it becomes ids.
struct DataLoaderSetup {
  std::string folder;  ///< data-bin, or where the raw text is
  std::string source_language;
  std::string target_language;  ///< empty = text of one language, without a target side
  std::function<std::vector<int64_t>(const std::string&, std::optional<uint64_t> sample_seed)>
      encode_source, encode_target;
  /// A source line's bracketed tree as Example::extras holds it, over the symbols that
  /// encode_source gives for the same seed. Errors name the place.
  std::function<std::vector<int64_t>(const std::string& line,
                                     const std::string& tree,
                                     const TextPlace& place,
                                     std::optional<uint64_t> sample_seed)>
      encode_tree = {};
  int64_t source_vocabulary = 0, target_vocabulary = 0;
  /// Set when examples contain phrases; indexed data must then hold them.
  std::optional<PhraseSource> phrases = {};
  bool alignments = false;  ///< examples have kAlignmentExtra; a training set must have it
  /// Training text is segmented at random, anew in every epoch: `encode_…` get a seed that depends
  /// on the epoch. A loader that cannot do this throws a UsageError.
  bool sample = false;
  uint64_t seed = 1;
};

/// Opens a split of the data as a corpus. Kinds: `indexed` (data-bin) and `text` (raw lines).
class PHRASEQ_API DataLoader {
 public:
  static constexpr const char* kKind = "data_loader";
  using Setup = DataLoaderSetup;
  using Factory = std::function<std::unique_ptr<DataLoader>(const Options&, const Setup&)>;

  virtual ~DataLoader() = default;
  virtual bool has_split(const std::string& split) const = 0;
  /// `training`: random segmentation is on. Throws DataError if there is no such split, and IoError
  /// or FormatError if its files cannot be read.
  virtual std::unique_ptr<Corpus> open(const std::string& split, bool training) const = 0;
};

}  // namespace phraseq
