#include "core/conformance/architecture/long_sentence_checks.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/long_examples.h"
#include "core/conformance/fixtures/small_model.h"
#include "core/conformance/fixtures/trial_device.h"
#include "core/data/batch_dependence.h"
#include "core/search/sessions/log_softmax_scores.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr double kLongTolerance = 1e-8;
constexpr size_t kStepsBetweenReorderings = 7;

Findings long_alone_as_in_a_batch(const Registry& registry, const Selection& selection) {
  SmallModel model(registry, selection, nn::Precision::kFp64);
  model.disturb();
  const std::vector<Example> examples = long_examples(model.model());
  const auto together = model.log_probabilities(examples);
  size_t row = 0;
  for (const Example& example : examples) {
    const auto alone = model.log_probabilities({example});
    for (size_t i = 0; i < alone.size(); ++i, ++row) {
      if (!(std::abs(alone[i] - together.at(row)) <= kLongTolerance)) {
        return {fmt::format(
            "token {} of a translation of {} tokens, source of {} tokens: ln p = {:.6g} in a batch "
            "and {:.6g} alone; what the model computes may depend on a sentence only",
            i + 1,
            example.target.size(),
            example.source.size(),
            together.at(row),
            alone[i])};
      }
    }
  }
  return {};
}

/// A session over long sentences: all rows grow along the same target, and change places from time
/// to time.
class LongDecoding {
 public:
  LongDecoding(const Registry& registry, const Selection& selection)
      : model_(registry, selection, nn::Precision::kFp64), context_(model_.context()) {
    model_.disturb();
    examples_ = long_examples(model_.model());
    for (Example& example : examples_) example.target = examples_.front().target;
    std::vector<Example> sources = examples_;
    for (Example& example : sources) example.target.clear();
    const auto steps = static_cast<int64_t>(length());
    session_ = model_.model().start_decoding(model_.batch(sources), {steps, 2, false}, context_);
    for (size_t i = 0; i < examples_.size(); ++i) {
      sentences_.push_back(i);
      single_passes_.push_back(at::log_softmax(model_.logits({examples_[i]}), 1));
    }
  }

  size_t length() const { return examples_.front().target.size(); }
  /// The largest difference of a step's ln p from a single pass, and of which sentence.
  std::pair<double, size_t> step(size_t number) {
    if (number > 0 && number % kStepsBetweenReorderings == 0)
      reorder();
    const at::Tensor found = feed(number);  // [rows, vocab]
    std::pair<double, size_t> largest = {0, 0};
    for (size_t row = 0; row < sentences_.size(); ++row) {
      const at::Tensor expected = single_passes_[sentences_[row]][static_cast<int64_t>(number)];
      const auto difference =
          (found[static_cast<int64_t>(row)] - expected).abs().max().item<double>();
      if (!(difference <= largest.first))
        largest = {difference, sentences_[row]};
    }
    return largest;
  }

 private:
  at::Tensor feed(size_t number) {
    const int64_t start = model_.model().conventions().start_token();
    const std::vector<int64_t> tokens(sentences_.size(),
                                      number == 0 ? start : examples_.front().target[number - 1]);
    if (number > 0)
      session_->chosen(tokens);
    const StepOutput output = session_->step(at::tensor(tokens, at::kLong).to(trial_device()));
    const at::Tensor log_p = log_softmax_scores(output);
    return log_p.narrow(1, 0, log_p.size(1) - session_->slots());  // [rows, vocab]
  }
  void reorder() {
    session_->select({1, 2, 0});
    sentences_ = {sentences_[1], sentences_[2], sentences_[0]};
  }

  SmallModel model_;
  nn::Context context_;
  std::vector<Example> examples_;
  std::vector<size_t> sentences_;  // of each row
  std::vector<at::Tensor> single_passes_;
  std::unique_ptr<DecodingSession> session_;
};

Findings long_steps_as_one_pass(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  LongDecoding decoding(registry, selection);
  for (size_t number = 0; number < decoding.length(); ++number) {
    const auto [difference, sentence] = decoding.step(number);
    if (!(difference <= kLongTolerance)) {
      return {fmt::format(
          "step {} of {}, sentence {}: ln p differs by up to {:.3g} from a single pass; the {} "
          "steps before agree: `step` must compute what `forward` computes for a prefix of any "
          "length",
          number + 1,
          decoding.length(),
          sentence + 1,
          difference,
          number)};
    }
  }
  return {};
}

}  // namespace

std::vector<Check> long_sentence_checks(const Registry& registry, const Selection& selection) {
  const auto* const options = dynamic_cast<const BatchDependence*>(selection.options.get());
  if (options != nullptr && options->depends_on_batch())
    return {};
  return {{"a long sentence has the same score alone and in a batch",
           [&registry, &selection] { return long_alone_as_in_a_batch(registry, selection); }},
          {"long step-by-step decoding gives the scores of a single pass",
           [&registry, &selection] { return long_steps_as_one_pass(registry, selection); }}};
}

}  // namespace phraseq::conformance
