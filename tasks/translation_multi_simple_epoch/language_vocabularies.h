#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/vocabularies.h"
#include "core/text/languages/language_pairs.h"
#include "tasks/translation_multi_simple_epoch/multilingual_options.h"
#include "tasks/translation_multi_simple_epoch/pair_folders.h"

namespace phraseq {

/// The languages of a multilingual model: their symbols, one dictionary for all sources and one for
/// all targets, both with the language tokens, and the conversion of text to symbols.
struct LanguageVocabularies {
  std::vector<LanguagePair> pairs;  ///< the pairs of the training
  std::vector<std::string> languages;
  Dictionary source;
  Dictionary target;
  std::string tokenizer;  ///< name of the component
  nlohmann::json tokenizer_options;
  std::map<std::string, std::string> models;  ///< the tokenizer's bytes, by language

  /// Reads the first of the data folders. Throws DataError if it lacks a pair, FormatError if pairs
  /// have different dictionaries or tokenizers, and UsageError for options that contradict each
  /// other.
  static LanguageVocabularies from_folders(const PairFolders& folders,
                                           const MultilingualOptions& options);
  static LanguageVocabularies from_state(const TaskState& state);
  /// `chosen`: the direction for tools that support only one.
  TaskState save(const LanguagePair& chosen) const;

  /// The vocabulary of a language as the source, or the target, of a pair.
  Vocabularies::Side side(const std::string& language, PairSide side) const;
  bool joined() const { return source == target; }
  /// Throws FormatError if a folder has a dictionary of the pair with different symbols.
  void require_dictionaries_of(const std::string& folder,
                               const LanguagePair& pair,
                               LanguageTokenStyle style) const;
};

}  // namespace phraseq
