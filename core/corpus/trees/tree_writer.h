#pragma once

#include <cstdint>
#include <string>

#include "core/base/api.h"
#include "core/corpus/split_check.h"
#include "core/corpus/text_encoder.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// What was written of the trees of a split.
struct TreeCounts {
  int64_t sentences = 0;
  Findings unparsed;            ///< sentences without a tree
  Findings rejected;            ///< sentences with an unusable tree; with kSkip, stored without it
  std::string first_rejection;  ///< the message
};

/// "29000 trees; 57 × not parsed, line 138, 1170, 1784 …"
PHRASEQ_API std::string to_string(const TreeCounts& counts);

/// What happens at a tree that does not belong to its sentence: an error, or a sentence without a
/// tree.
enum class OnBadTree { kError, kSkip };

/// Aligns the trees of a text with its subwords (SubwordTree) and writes them as an indexed
/// dataset, an empty sequence for a sentence without a tree. Throws what read_bracketed_tree and
/// TreeAligner throw; with kSkip, the sentence instead has no tree.
PHRASEQ_API TreeCounts write_trees(const CheckedText& text,
                                   const CheckedText& trees,
                                   const Tokenizer& tokenizer,
                                   OnBadTree on_bad_tree,
                                   int64_t workers,
                                   const std::string& prefix);

}  // namespace phraseq
