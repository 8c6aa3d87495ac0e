#pragma once

#include <cstdint>
#include <vector>

#include "core/corpus/trees/tree_phrases.h"
#include "core/data/sequence_conventions.h"
#include "core/options/option_table.h"

namespace phraseq::phrase_rep {

/// How the quotient in the length of phrases is rounded.
enum class Rounding { kCeil, kFloor, kRound };

inline constexpr EnumName<Rounding> kRoundingNames[] = {
    {"ceil", Rounding::kCeil}, {"floor", Rounding::kFloor}, {"round", Rounding::kRound}};

/// How sources are divided into phrases (Xu et al. 2020, sec. 3.1 and Algorithm 1).
struct SegmentationOptions {
  int64_t longest = 8;
  int64_t shortest = 3;
  int64_t divisor = 6;
  Rounding rounding = Rounding::kCeil;
  bool by_batch = false;  ///< n from the longest sentence of the batch
  bool from_trees = false;
  TreePhraseOptions trees = {};
  bool join_specials = false;  ///< <s> and </s> belong to the first and last parsed phrase
  bool source_has_bos = false;
};

/// The number of tokens of a phrase: n = max(min(longest, length / divisor), shortest), footnote 2.
/// `length` includes the special tokens that are fed.
int64_t phrase_size(int64_t length, const SegmentationOptions& options);

/// Lengths of the phrases of a sentence of `length` tokens: n for each, and the remainder for the
/// last one.
std::vector<int64_t> ngram_phrases(int64_t length, int64_t n);

/// Lengths of the phrases that Algorithm 1 finds in a sentence's tree, including special tokens. A
/// sentence without a tree (empty, not parsed) gets n-grams. Throws DataError if the subwords of
/// the tree differ from those of the sentence.
std::vector<int64_t> parsed_phrases(const Example& example,
                                    int64_t length,
                                    const SegmentationOptions& options);

/// Adds the positions of its phrases to each batch: the host extras kPhraseOffsets and
/// kSentencePhrases.
BatchExtension phrase_extension(const SegmentationOptions& options);

}  // namespace phraseq::phrase_rep
