#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/architecture.h"

namespace phraseq::conformance {

inline constexpr int64_t kScriptedVocabulary = 11;

/// Scores of the next token after `prefix` in a translation of `source`, by a formula: what a
/// search meets, without a network. </s> becomes more probable with every token.
std::vector<double> scripted_scores(const std::vector<int64_t>& source,
                                    const std::vector<int64_t>& prefix);

/// An architecture that only decodes, by scripted_scores.
class ScriptedModel final : public Architecture {
 public:
  DecoderOutput forward(const Batch& batch, nn::Context& context) override;
  std::unique_ptr<DecodingSession> start_decoding(const Batch& batch,
                                                  const DecodingLimits& limits,
                                                  nn::Context& context) override;
  int64_t model_width() const override { return 1; }
  int64_t max_source_positions() const override { return 40; }
  int64_t max_target_positions() const override { return 40; }
  void initialise(uint64_t /*seed*/) override {}
  double multiply_adds(int64_t, int64_t) const override { return 0; }
};

}  // namespace phraseq::conformance
