#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/data/multilingual/direction_tags.h"
#include "core/data/task.h"
#include "core/data/vocabularies.h"
#include "tasks/translation_multi_simple_epoch/language_vocabularies.h"
#include "tasks/translation_multi_simple_epoch/multilingual_options.h"

namespace phraseq {

/// Converts text of all languages to ids and back, and knows the language tokens among the ids.
/// Thread-safe.
///
/// `side` chooses the dictionary: if the two differ, the same token has different ids.
class LanguageText {
 public:
  /// The arguments must outlive this object and must not be moved.
  LanguageText(const LanguageVocabularies& vocabularies,
               const MultilingualOptions& options,
               const TaskSetup& setup);

  /// The ids of a line with </s> and without language tokens: text that looks like a language token
  /// is an unknown word. `sample_seed`: see LanguageSide::encode.
  std::vector<int64_t> encode(const std::string& language,
                              PairSide side,
                              const std::string& line,
                              std::optional<uint64_t> sample_seed) const;
  /// The tree of a source line (DataLoaderSetup::encode_tree).
  std::vector<int64_t> encode_tree(const std::string& language,
                                   const std::string& line,
                                   const std::string& tree,
                                   const TextPlace& place,
                                   std::optional<uint64_t> sample_seed) const;
  std::string decode(const std::string& language,
                     PairSide side,
                     std::span<const int64_t> ids) const;

  bool is_token(int64_t id, PairSide side) const;
  /// The language of a token of the target dictionary.
  const std::string& language_of_token(int64_t target_id) const;
  /// Returns the tokens that --encoder-langtok and --decoder-langtok add to the sentences of a
  /// direction.
  DirectionTags tags_of(const LanguagePair& pair) const;

 private:
  const LanguageSide& language_side(const std::string& language, PairSide side) const;
  int64_t token_of(const std::string& language, PairSide side) const;

  const LanguageVocabularies& vocabularies_;
  const MultilingualOptions& options_;
  const TaskSetup& setup_;
  std::vector<int64_t> source_tokens_, target_tokens_;  ///< ids, ascending
  mutable std::mutex making_;  ///< guards the creation of sides: text is read on several threads
  mutable std::map<std::pair<std::string, PairSide>, std::unique_ptr<LanguageSide>> sides_;
};

}  // namespace phraseq
