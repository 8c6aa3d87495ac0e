#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/data/batch.h"
#include "core/nn/architecture.h"
#include "core/nn/context.h"
#include "core/options/option_table.h"

namespace phraseq {

struct CriterionSetup {
  int64_t target_vocabulary = 0;
};

/// Extra sum of a criterion whose extras are about fewer tokens than its losses are divided by.
inline constexpr const char* kJudgedTokens = "judged_tokens";

/// A batch's loss and statistics as sums (natural logarithm), so that accumulation, data
/// parallelism and validation are exact. Divide by `tokens` or `sentences` last.
struct PHRASEQ_API LossReport {
  at::Tensor loss;  ///< scalar, the sum; differentiable when training
  double loss_sum = 0;
  double nll_sum = 0;
  int64_t tokens = 0;
  int64_t sentences = 0;
  std::map<std::string, double> extras;  ///< further sums ("correct" …)
  void add(const LossReport& other);     ///< sums only, not `loss`
  /// The extras as shares, "NAME_per_token": of kJudgedTokens where a criterion gives that sum,
  /// else of `tokens`.
  std::map<std::string, double> extras_per_token() const;
};

class PHRASEQ_API Criterion {
 public:
  static constexpr const char* kKind = "criterion";
  using Setup = CriterionSetup;
  using Factory = std::function<std::unique_ptr<Criterion>(const Options&, const Setup&)>;

  virtual ~Criterion() = default;
  virtual LossReport loss(const DecoderOutput& output,
                          const Batch& batch,
                          nn::Context& context) = 0;
};

}  // namespace phraseq
