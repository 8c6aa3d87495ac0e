#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/corpus/folder_languages.h"
#include "core/corpus/index_names.h"
#include "core/corpus/indexed_dataset.h"
#include "core/corpus/manifest/data_manifest.h"
#include "core/corpus/phrases/stored_phrases.h"
#include "core/phrase_memory/stored_memory.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// Throws IoError if there is no folder at `path`, also where there is a file.
PHRASEQ_API void check_data_folder(const std::string& path);

/// A folder of preprocessed text, written by phraseq (with `manifest.json`) or fairseq (without):
/// the languages it contains, the names of its files, and how its text was turned into symbols. See
/// docs/formats/data_folder.md.
class PHRASEQ_API DataFolder {
 public:
  /// Languages left empty are taken from the manifest or, without one, from the files' names. A
  /// folder made for en-de also serves de-en, as it does in fairseq. Throws UsageError if the
  /// folder contains several pairs or a different one, IoError if it is missing, and FormatError if
  /// a run of preprocess was killed before it finished.
  static DataFolder open(const std::string& path,
                         const std::string& source = {},
                         const std::string& target = {});

  /// A folder for text of one language: without a name (`dict.txt`, `train.idx`; `source()` is then
  /// empty, whatever `language` is), made with --only-source (`train.en-None.en.idx`), or one side
  /// of a pair's folder. The language is `source()`; `target()` is meaningless. Throws UsageError
  /// if the folder has two languages and none was requested.
  static DataFolder open_monolingual(const std::string& path, const std::string& language = {});

  /// Throws UsageError if the text is in only one language, so there is nothing to translate.
  void require_pair() const;

  const std::string& path() const { return path_; }
  const std::string& source() const { return languages_.source; }
  const std::string& target() const { return languages_.target; }

  /// Throws FormatError if the dictionary is not the one for which the manifest was written.
  Dictionary dictionary(const std::string& language) const;
  bool has_split(const std::string& split) const;
  /// Whether the manifest lists the split; files that it does not list belong to an earlier run.
  /// True for any split in a folder without a manifest.
  bool lists_split(const std::string& split) const;
  /// "train", "valid", "valid1", "test" …, those that both languages have.
  std::vector<std::string> splits() const;
  std::string prefix(const std::string& split, const std::string& language) const;
  /// Opens one side of a split; throws FormatError if a file differs from the manifest's record
  /// (this takes one pass over both files, at several GB/s once they are in memory).
  IndexedDataset dataset(const std::string& split, const std::string& language) const;
  /// Whether the split's text in that language has parse trees, and the trees (as sequences of
  /// SubwordTree::encode), checked as `dataset` checks the text.
  bool has_trees(const std::string& split, const std::string& language) const;
  IndexedDataset trees(const std::string& split, const std::string& language) const;

  /// The same for the alignments of the split's sentence pairs (write_alignments). A folder made
  /// for the other direction has none.
  bool has_alignments(const std::string& split) const;
  IndexedDataset alignments(const std::string& split) const;

  /// The same for the phrases of a phrase memory.
  bool has_phrases(const std::string& split, const std::string& language) const;
  StoredPhrases phrases(const std::string& split, const std::string& language) const;
  /// The memory with which they were found; nothing in a folder without phrases.
  std::optional<StoredMemory> phrase_memory() const;

  /// Name of the tokenizer component; "word" for text that was tokenized elsewhere.
  std::string tokenizer() const;
  /// Values of its options, by name.
  nlohmann::json tokenizer_options() const;
  /// Path of the language's subword model; empty when the tokenizer needs none.
  std::string tokenizer_model(const std::string& language) const;

  /// What `preprocess` wrote; null in a folder of fairseq's.
  const nlohmann::json& manifest() const { return manifest_; }

 private:
  IndexedDataset checked(const std::string& prefix, const nlohmann::json& record) const;
  void read_manifest();
  static DataFolder of_path(const std::string& path);

  std::string path_;
  FolderLanguages languages_;
  nlohmann::json manifest_;
};

}  // namespace phraseq
