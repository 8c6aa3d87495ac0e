#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/api.h"
#include "core/corpus/trees/bracketed_tree.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/text/tokenizer.h"

namespace phraseq {

/// The characters that each symbol of a sentence stands for: without the marks of spaces (U+2581,
/// SentencePiece), without whitespace, and without the mark `@@` of a word that continues
/// (subword-nmt; only in sentences that hold no U+2581).
PHRASEQ_API std::vector<std::string> visible_characters(std::span<const std::string> symbols);

/// Finds the subwords that belong to each leaf of a sentence's tree by comparing characters.
///
/// Each leaf is tokenized separately, so that it is normalized like the sentence. A subword belongs
/// to the leaf of its first visible character; one without any (a lone U+2581) belongs to the leaf
/// of what follows, or at the end of the sentence to the last leaf.
class PHRASEQ_API TreeAligner {
 public:
  explicit TreeAligner(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  /// `symbols`: the tokenizer's, encoded or sampled. If the leaves do not spell the sentence,
  /// throws a DataError that names `place`, the leaf's column, number and text, and what the
  /// symbols spell.
  SubwordTree align(const BracketedTree& tree,
                    std::span<const std::string> symbols,
                    const TextPlace& place);

 private:
  const std::string& characters_of(const std::string& word);

  const Tokenizer& tokenizer_;
  std::unordered_map<std::string, std::string> known_;  // words that occurred; most occur again
};

}  // namespace phraseq
