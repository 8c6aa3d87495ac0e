#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/search/hypothesis.h"

namespace phraseq {

/// fairseq's --replace-unk: each <unk> of a translation becomes the translation of the source word
/// that it attends to most, by a dictionary of alignments, or that word itself.
class PHRASEQ_API UnknownWords {
 public:
  UnknownWords() = default;  ///< no dictionary: copies the source words
  /// Lines "SOURCE TARGET"; what follows is ignored. DataError for a line of one word.
  static UnknownWords read(const std::string& path);

  /// The words that replace the <unk>s of a hypothesis with attention, in their order; those of a
  /// phrase memory are not among them.
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
/// Leaves as many words of the kept text as the source has tokens now.
PHRASEQ_API void cut_source_text(Example& example);

/// `text` with its <unk>s replaced, one after the other, or with what SentencePiece writes for
/// them; the replacements are pieces then. Unchanged when there are not as many of them.
PHRASEQ_API std::string replace_unknown_words(const std::string& text,
                                              const std::vector<std::string>& replacements);

}  // namespace phraseq
