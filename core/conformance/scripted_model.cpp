#include "core/conformance/scripted_model.h"

#include <cmath>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

class ScriptedSession final : public DecodingSession {
 public:
  ScriptedSession(const Batch& batch, bool need_attention)
      : longest_(batch.source.max_length()), need_attention_(need_attention) {
    const at::Tensor ids = batch.source.ids.cpu();
    const auto* first = ids.data_ptr<int64_t>();
    for (size_t i = 0; i + 1 < batch.source.offsets.size(); ++i) {
      sources_.emplace_back(first + batch.source.offsets[i], first + batch.source.offsets[i + 1]);
      rows_.push_back({i, {}});
    }
  }

  int64_t rows() const override { return static_cast<int64_t>(rows_.size()); }

  StepOutput step(const at::Tensor& last_tokens) override {
    const at::Tensor tokens = last_tokens.cpu().contiguous();
    StepOutput output;
    output.scores = at::empty({rows(), kScriptedVocabulary}, at::kFloat);
    auto* score = output.scores.data_ptr<float>();
    for (size_t row = 0; row < rows_.size(); ++row) {
      if (has_begun_)
        rows_[row].prefix.push_back(tokens.data_ptr<int64_t>()[row]);
      for (const double value : scripted_scores(sources_[rows_[row].sentence], rows_[row].prefix))
        *score++ = static_cast<float>(value);
    }
    has_begun_ = true;
    if (need_attention_) {
      output.attention = at::zeros({rows(), longest_}, at::kFloat);
      output.attention.select(1, 0).fill_(1);
    }
    return output;
  }

  void select(const std::vector<int64_t>& chosen) override {
    std::vector<Row> kept;
    for (const int64_t row : chosen) kept.push_back(rows_[static_cast<size_t>(row)]);
    rows_ = std::move(kept);
  }

 private:
  struct Row {
    size_t sentence;
    std::vector<int64_t> prefix;
  };

  std::vector<std::vector<int64_t>> sources_;
  std::vector<Row> rows_;
  int64_t longest_;
  bool need_attention_;
  bool has_begun_ = false;
};

}  // namespace

std::vector<double> scripted_scores(const std::vector<int64_t>& source,
                                    const std::vector<int64_t>& prefix) {
  double phase = 0.9 * static_cast<double>(source.front());
  for (size_t i = 0; i < prefix.size(); ++i)
    phase += 0.7 * static_cast<double>(i + 1) * static_cast<double>(prefix[i]);
  std::vector<double> scores;
  for (int64_t column = 0; column < kScriptedVocabulary; ++column)
    scores.push_back(2 * std::sin(1.3 * static_cast<double>(column) + phase));
  scores[kEos] += 0.8 * (static_cast<double>(prefix.size()) - static_cast<double>(source.size()));
  return scores;
}

DecoderOutput ScriptedModel::forward(const Batch& /*batch*/, nn::Context& /*context*/) {
  throw UsageError("the scripted model has no forward pass: a search uses its session alone");
}

std::unique_ptr<DecodingSession> ScriptedModel::start_decoding(const Batch& batch,
                                                               const DecodingLimits& limits,
                                                               nn::Context& /*context*/) {
  return std::make_unique<ScriptedSession>(batch, limits.need_attention);
}

}  // namespace phraseq::conformance
