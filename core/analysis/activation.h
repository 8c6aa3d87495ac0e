#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/attention.h"
#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plot/svg.h"

namespace phraseq::analysis {

/// The measures of the activation of phrases (Nguyen & Joty 2018, tables 3 and 4; the paper only
/// says that activation is averaged over sentences). Quadrants are query kind to key kind, t a
/// single token and p a longer n-gram: t2t, t2p, p2t, p2p.
enum class ActivationStatistic {
  /// For each head and query token, the largest weight in the rows of the n-grams that end there
  /// scores a point for its quadrant; among equal weights, the first quadrant gets it.
  kPeak,
  /// The weights of each quadrant, added up.
  kMass,
  /// How many weights reach a threshold; a sentence without one does not count.
  kThreshold
};

inline constexpr EnumName<ActivationStatistic> kActivationStatisticNames[] = {
    {"peak", ActivationStatistic::kPeak},
    {"mass", ActivationStatistic::kMass},
    {"threshold", ActivationStatistic::kThreshold}};

using Quadrants = std::array<double, 4>;
inline constexpr std::array<const char*, 4> kQuadrantNames = {"t2t", "t2p", "p2t", "p2p"};

/// The four shares of one sentence, which add up to 1; all 0 if nothing counts.
PHRASEQ_API Quadrants activation_of(const AttentionWeights& weights,
                                    ActivationStatistic statistic,
                                    double threshold);

/// The unweighted mean of the sentences' shares, layer by layer.
class PHRASEQ_API ActivationTable {
 public:
  ActivationTable(AttentionPlace place, ActivationStatistic statistic, double threshold)
      : place_(place), statistic_(statistic), threshold_(threshold) {}

  void add(const RecordedSentence& sentence);

  struct Row {
    int64_t layer = 0;
    int64_t sentences = 0;  ///< with a share above 0
    Quadrants shares{};     ///< mean over these sentences; all 0 without any
  };
  std::vector<Row> rows() const;

  /// The table as text with percentages, as in the paper; as JSON (docs/formats/analyze_json.md);
  /// as a bar chart.
  std::string text() const;
  std::string json() const;
  plot::Svg plot() const;

 private:
  struct Sum {
    int64_t sentences = 0;
    Quadrants shares{};
  };
  std::string title() const;

  AttentionPlace place_;
  ActivationStatistic statistic_;
  double threshold_;
  std::map<int64_t, Sum> layers_;
};

}  // namespace phraseq::analysis
