#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/attention.h"
#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plot/heat_map.h"

namespace phraseq::analysis {

/// Which weights are drawn: a head from 1, or 0 for the mean over heads.
inline constexpr int64_t kMeanOfHeads = 0;

/// The labels of a decoder's rows: the tokens that the rows generate, or those that they read.
enum class TargetLabels { kGenerated, kInput };
inline constexpr EnumName<TargetLabels> kTargetLabelNames[] = {
    {"generated", TargetLabels::kGenerated}, {"input", TargetLabels::kInput}};

/// The labels of attention weights as a matrix (Nguyen & Joty 2018, figures 4 to 6). Rows are the
/// tokens, then the bigrams that end at the second and later ones; columns the tokens that are
/// attended to, then their bigrams, then their trigrams …; n-grams of one length form a group.
/// Columns that begin before the sentence are shown only if they have weights. A decoder's columns
/// are always its input tokens.
class PHRASEQ_API AttentionMap {
 public:
  /// `layers` belong to one place and one sentence, and determine which columns have weights.
  AttentionMap(const RecordedSentence& sentence,
               const std::vector<AttentionWeights>& layers,
               TargetLabels labels = TargetLabels::kGenerated);

  /// The cells' values, row by row; in the mean, a head without keys of a kind counts as 0.
  std::vector<double> values(const AttentionWeights& weights, int64_t head) const;
  /// Draws these values, with a title that names their place, layer and head.
  plot::HeatMap draw(const AttentionWeights& weights, int64_t head) const;

 private:
  struct Cell {
    size_t kind;
    int64_t token;
  };
  void add_rows(const AttentionWeights& weights, const std::vector<std::string>& tokens);
  void add_columns(const std::vector<AttentionWeights>& layers,
                   const std::vector<std::string>& tokens);

  std::vector<Cell> rows_, columns_;
  plot::HeatMapAxis row_labels_, column_labels_;
};

/// A description: "layer 3, head 2" or "layer 3, mean over heads".
PHRASEQ_API std::string describe(const AttentionWeights& weights, int64_t head);

}  // namespace phraseq::analysis
