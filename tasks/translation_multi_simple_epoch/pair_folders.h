#pragma once

#include <string>
#include <vector>

#include "core/text/languages/language_pairs.h"

namespace phraseq {

/// The data folders of a multilingual model, A:B:C, and the places of the language pairs in them:
/// in a folder itself, under the names of fairseq or as raw text, or in its folder SOURCE-TARGET
/// (or TARGET-SOURCE).
class PairFolders {
 public:
  /// `folders`: at least one. `loader`: the value of --data-loader. The files that a plugin's
  /// loader reads are unknown, so only the dictionaries of its data are checked.
  PairFolders(std::vector<std::string> folders, const std::string& loader);

  const std::string& first() const { return folders_.front(); }
  bool are_several() const { return folders_.size() > 1; }

  /// The place of a pair in the first folder. If the folder has other pairs but not this one,
  /// throws a DataError that lists them, with `remedy` as the hint.
  std::string require_in_first(const LanguagePair& pair, const std::string& remedy) const;
  /// The place of a pair in the first folder, and in every other one that has it. Throws IoError if
  /// one of the others does not exist.
  std::vector<std::string> places_of(const LanguagePair& pair) const;
  /// Throws DataError if one of several folders has none of the pairs, because it would never be
  /// used.
  void require_use_of_all(const std::vector<LanguagePair>& pairs) const;
  /// A hint about what the user can do if the first folder lacks a pair.
  std::string remedy_for(const LanguagePair& pair) const;

 private:
  [[noreturn]] void reject_missing(const LanguagePair& pair, const std::string& remedy) const;
  bool has_pair(const std::string& folder, const LanguagePair& pair) const;

  std::vector<std::string> folders_;
  bool is_of_plugin_;  ///< the data loader is a plugin's
};

}  // namespace phraseq
