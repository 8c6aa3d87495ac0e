#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/attention.h"
#include "core/base/api.h"
#include "core/corpus/trees/subword_tree.h"
#include "core/plot/svg.h"

namespace phraseq::analysis {

/// A range of consecutive tokens: the first one, and the one after the last.
using TokenSpan = std::pair<int64_t, int64_t>;

/// The tokens below each node of a tree that has two or more of them, including the whole sentence;
/// `offset` tokens come before the first subword.
PHRASEQ_API std::set<TokenSpan> constituents_of(const SubwordTree& tree, int64_t offset);

/// How often the n-grams that attention uses are constituents of the source's parse tree.
///
/// Each head and row of queries uses the key with its largest weight, the first among equal ones.
/// It counts as an n-gram if it has two or more tokens. Keys are n-grams, stored at their last
/// token; for a model that divides its source into phrases, they are these phrases, and the
/// attention to them is that of the decoder's layers (place kCross) or of the encoder's layers.
class PHRASEQ_API ConstituentTable {
 public:
  explicit ConstituentTable(AttentionPlace place) : place_(place) {}

  /// Adds a sentence with the tree of its source (`SubwordTree::encode`). A sentence without a tree
  /// is counted but not used. Throws DataError if the tree does not belong to the source.
  void add(const RecordedSentence& sentence, const std::vector<int64_t>& tree);

  struct Length {
    int64_t tokens = 0;
    int64_t used = 0, constituents = 0;
    double chance = 0.0;  ///< share of all n-grams of this length that are constituents
  };
  struct Row {
    int64_t layer = 0;
    int64_t keys = 0;    ///< used keys, including words
    int64_t ngrams = 0;  ///< used keys of two or more tokens
    int64_t constituents = 0;
    /// The expected share of constituents for n-grams of the same lengths at random places.
    double chance = 0.0;
    std::vector<Length> lengths;
  };
  std::vector<Row> rows() const;
  int64_t sentences() const { return sentences_; }

  /// The table as text with percentages; as JSON (docs/formats/analyze_json.md); as a bar chart.
  std::string text() const;
  std::string json() const;
  plot::Svg plot() const;

 private:
  struct Count {
    int64_t all = 0, constituents = 0;
    double share() const {
      return all > 0 ? static_cast<double>(constituents) / static_cast<double>(all) : 0.0;
    }
  };
  struct Layer {
    int64_t keys = 0;
    std::map<int64_t, Count> lengths;
  };
  void count_all(int64_t tokens, const std::set<TokenSpan>& constituents);
  void count_used(const AttentionWeights& weights,
                  const std::vector<int64_t>& phrase_offsets,
                  const std::set<TokenSpan>& constituents);

  AttentionPlace place_;
  int64_t sentences_ = 0, without_tree_ = 0;
  std::map<int64_t, Layer> layers_;
  std::map<int64_t, Count> possible_;  ///< all n-grams, by their length
};

}  // namespace phraseq::analysis
