#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/search/hypothesis.h"

namespace phraseq {

/// fairseq's --replace-unk: each <unk> of a translation is replaced with the translation, according
/// to an alignment dictionary, of the source word that it attends to most, or with that word
/// itself.
class PHRASEQ_API UnknownWords {
 public:
  UnknownWords() = default;  ///< no dictionary: copies the source words
  /// Reads lines "SOURCE TARGET"; further fields are ignored. Throws DataError for a line of one
  /// word.
  static UnknownWords read(const std::string& path);

  /// The words that replace the <unk>s of a hypothesis with attention, in their order; those that a
  /// phrase memory generated are not among them.
  std::vector<std::string> replacements(const Task& task,
                                        const Example& example,
                                        const Hypothesis& hypothesis) const;

 private:
  std::map<std::string, std::string, std::less<>> dictionary_;
};

/// The raw text of a source, kept so that a word outside the vocabulary can be copied.
PHRASEQ_API void keep_source_text(Example& example, std::string_view text);
/// Whether each token of the source is a word of the kept text.
PHRASEQ_API bool keeps_a_word_for_each_token(const Example& example);
/// Truncates the kept text to as many words as the source now has tokens.
PHRASEQ_API void cut_source_text(Example& example);

/// Returns `text` with its <unk>s (or the characters that SentencePiece writes for them, in which
/// case the replacements are pieces) replaced in order. If the numbers of these and of replacements
/// differ, the text is returned unchanged.
PHRASEQ_API std::string replace_unknown_words(const std::string& text,
                                              const std::vector<std::string>& replacements);

}  // namespace phraseq
