#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// The remedy for damaged files of a data folder.
inline constexpr const char* kPreprocessAgain = "Write the data again with phraseq preprocess.";

/// The name of a split's files without suffix: fairseq's `FOLDER/SPLIT.SRC-TGT.LANG`, or
/// `FOLDER/SPLIT` for text of one language without a name.
PHRASEQ_API std::string indexed_prefix(const std::string& folder,
                                       const std::string& split,
                                       const std::string& source,
                                       const std::string& target,
                                       const std::string& language);

/// The same for the parse trees of such a text: `FOLDER/SPLIT.SRC-TGT.LANG.trees`.
PHRASEQ_API std::string trees_prefix(const std::string& text_prefix);

/// The same for the alignments of a split: fairseq's `FOLDER/SPLIT.align.SRC-TGT`.
PHRASEQ_API std::string alignments_prefix(const std::string& folder,
                                          const std::string& split,
                                          const std::string& source,
                                          const std::string& target);

/// A read-only corpus of id sequences: fairseq's mmap layout, `PREFIX.idx` and `PREFIX.bin`
/// (docs/formats/indexed_dataset.md). Opening checks magic, version, dtype and every size before
/// anything is mapped. Reading is thread-safe.
class PHRASEQ_API IndexedDataset {
 public:
  /// Throws a FormatError with expected and found sizes, and IoError if a file is missing.
  static IndexedDataset open(const std::string& prefix);
  static bool exists(const std::string& prefix);
  ~IndexedDataset();
  IndexedDataset(IndexedDataset&&) noexcept;

  int64_t size() const;
  int64_t length(int64_t index) const;  ///< tokens, including </s>
  std::vector<int64_t> get(int64_t index) const;
  int64_t tokens() const;
  /// CRC-32C of the .idx and of the .bin file; the first call reads all of it.
  uint32_t fingerprint() const;
  uint32_t ids_fingerprint() const;
  /// Throws FormatError if a file was rewritten in place since it was opened and has other content
  /// than when its fingerprint was first asked for.
  void require_unchanged() const;
  const std::string& prefix() const;
  /// Releases the memory of what was read (MappedFile::release), for passes over the corpus.
  void release() const;

  /// Throws a DataError that names the first sentence (from 1) with an id outside [0, vocabulary).
  void check_ids(int64_t vocabulary) const;

 private:
  struct State;
  explicit IndexedDataset(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
