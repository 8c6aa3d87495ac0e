#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace phraseq {

/// Name of the extra that holds the source's parse tree, as SubwordTree::encode writes it. Every
/// sentence of a text that comes with trees has it; it is empty if the sentence was not parsed.
inline constexpr const char* kTreeExtra = "tree";

/// Name of the extra that holds the ids with which the output begins, for a task that continues
/// text (language modeling). It may be empty; the output then begins freely.
inline constexpr const char* kPromptExtra = "prompt";

/// Name of the extra that holds the alignment of a sentence pair for training with it: the places
/// of a link's source and target token, one link after the other; </s> has none.
inline constexpr const char* kAlignmentExtra = "alignment";

/// A phrase of an external memory that occurs in a sentence, and its translation: one of the
/// sentence's slots (Tang et al. 2016, sec. 3).
struct ExamplePhrase {
  std::vector<int64_t> places;  ///< of the words it covers among the source ids, ascending; more
                                ///< than one run of them only in a slot that occurrences share
  std::vector<int64_t> target;  ///< ids of its translation, without </s>; at least one
  std::vector<std::string> source_words = {};
  std::vector<std::string> target_words = {};  ///< one for each id, even for <unk>
  std::string category = {};                   ///< dates, names, numbers …
  int64_t span_begin = -1;  ///< where the translation is in the target ids, -1 = nowhere
};

/// One sentence or sentence pair as ids, before it becomes part of a batch.
struct Example {
  int64_t id = 0;  ///< place in the data set, from 0
  std::vector<int64_t> source;
  std::vector<int64_t> target;  ///< empty when there is none
  std::map<std::string, std::vector<int64_t>> extras;
  std::vector<ExamplePhrase> phrases = {};  ///< in source order; a phrase's place is its slot
};

}  // namespace phraseq
