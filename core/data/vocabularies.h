#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/text/dictionary.h"
#include "core/text/tokenizer.h"

namespace phraseq {

class DataFolder;
class SubwordDetector;

/// The tokenizer for text if the data folder does not name one: the name of a component and the
/// files of its models. Empty = as in the manifest of the folder.
struct PHRASEQ_API TokenizerFiles {
  std::string name;
  std::string source_model, target_model;

  /// Reads the options of a task: the tokenizer "auto" is the folder's, or SentencePiece if there
  /// is a model; "none" leaves words as they are.
  static TokenizerFiles from_options(const std::string& tokenizer,
                                     const std::string& source_model,
                                     const std::string& target_model);
};

/// The languages of a task with their symbols, and how text becomes such symbols: everything about
/// text that a translator needs.
struct PHRASEQ_API Vocabularies {
  struct Side {
    std::string language;
    Dictionary dictionary;
    std::string model;  ///< model of the tokenizer, as bytes; empty if it needs none
    std::string model_name;
  };
  Side source, target;
  std::string tokenizer;  ///< name of the component
  nlohmann::json tokenizer_options;

  /// Reads a data folder, ours or fairseq's, or a folder of raw text with `dict.LANG.txt`. Without
  /// a dictionary, the pieces of a SentencePiece model are used. Languages may be empty, see
  /// DataFolder.
  static Vocabularies from_folder(const std::string& path,
                                  const std::string& source,
                                  const std::string& target,
                                  const TokenizerFiles& given);
  /// Reads the vocabulary of one language, used for both sides, from a folder that `preprocess
  /// --only-source` or fairseq-preprocess --only-source wrote, or one side of a pair's folder; see
  /// DataFolder::open_monolingual.
  static Vocabularies from_monolingual_folder(const std::string& path,
                                              const std::string& language,
                                              const TokenizerFiles& given);
  /// Reads a checkpoint; the inverse of `save`. Throws FormatError when an entry is missing.
  static Vocabularies from_state(const TaskState& state);
  TaskState save() const;

  bool joined() const { return source.dictionary == target.dictionary; }
};

/// One language at work: text to ids and back.
class PHRASEQ_API LanguageSide {
 public:
  LanguageSide(const Vocabularies::Side& side, std::unique_ptr<Tokenizer> tokenizer);

  const std::string& language() const { return language_; }
  const Dictionary& dictionary() const { return dictionary_; }
  /// Ids of a line of text, kEos last; with a seed, by random segmentation. Text that spells a
  /// special symbol is an unknown word, never that symbol. Warns once if a subword model gets text
  /// that is already divided into subwords.
  std::vector<int64_t> encode(const std::string& line, std::optional<uint64_t> sample_seed) const;
  /// The line's bracketed tree over these ids except the last one, as SubwordTree::encode writes
  /// it.
  std::vector<int64_t> encode_tree(const std::string& line,
                                   const std::string& tree,
                                   const TextPlace& place,
                                   std::optional<uint64_t> sample_seed) const;
  /// Symbols joined by spaces, without specials.
  std::string symbols(std::span<const int64_t> ids) const { return dictionary_.decode(ids); }
  /// Detokenized text.
  std::string text(std::span<const int64_t> ids) const;

 private:
  std::vector<std::string> symbols_of(const std::string& line,
                                      std::optional<uint64_t> sample_seed) const;

  std::string language_;
  Dictionary dictionary_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::shared_ptr<SubwordDetector> watch_;  // of the text that a subword model cuts
};

/// Throws FormatError if the folder has a different dictionary for the side's language: its ids
/// would have different meanings.
PHRASEQ_API void require_dictionary_of(const LanguageSide& side, const DataFolder& folder);

}  // namespace phraseq
