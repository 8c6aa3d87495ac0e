#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

struct MetricSetup {
  std::string target_language;
};

/// A corpus score with the signature that says how it was computed.
struct MetricScore {
  std::string name;  ///< "BLEU"
  double value = 0;
  std::string text;  ///< the whole line a person reads
  std::string signature;
  bool higher_is_better = true;
};

/// A measure of detokenized system output against references; what validation reports beside the
/// loss.
class PHRASEQ_API Metric {
 public:
  static constexpr const char* kKind = "metric";
  using Setup = MetricSetup;
  using Factory = std::function<std::unique_ptr<Metric>(const Options&, const Setup&)>;

  virtual ~Metric() = default;
  /// `references` are streams, each as long as `hypotheses`; DataError with both counts otherwise.
  virtual MetricScore score(const std::vector<std::string>& hypotheses,
                            const std::vector<std::vector<std::string>>& references) const = 0;
};

}  // namespace phraseq
