#pragma once

#include <string>
#include <vector>

#include "core/analysis/head_names.h"
#include "core/base/api.h"
#include "core/plot/svg.h"

namespace phraseq::analysis {

/// By how much the loss of a test set rises when a single attention head is switched off, for all
/// heads. Losses are -log2 p per target token, including </s>.
class PHRASEQ_API HeadTable {
 public:
  /// `loss`: the loss of the whole model.
  explicit HeadTable(double loss) : loss_(loss) {}

  /// `losses`: one for each head of the module.
  void add(const HeadsOfModule& module, const std::vector<double>& losses);

  /// The table as text in bits; as JSON (docs/formats/analyze_json.md); as a bar chart.
  std::string text() const;
  std::string json() const;
  plot::Svg plot() const;

 private:
  struct Row {
    HeadsOfModule module;
    std::vector<double> losses;
  };
  size_t most_heads() const;
  std::string means_by_ngrams() const;

  double loss_;
  std::vector<Row> rows_;
};

}  // namespace phraseq::analysis
