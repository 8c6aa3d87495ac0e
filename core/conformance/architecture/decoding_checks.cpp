#include "core/conformance/architecture/decoding_checks.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/small_model.h"
#include "core/conformance/fixtures/trial_device.h"
#include "core/nn/shape_text.h"
#include "core/search/sessions/log_softmax_scores.h"

namespace phraseq::conformance {
namespace {

constexpr double kTolerance = 1e-9;

/// The scores' columns after the vocabulary are slots.
at::Tensor words(const at::Tensor& scores, int64_t slots) {
  return scores.narrow(1, 0, scores.size(1) - slots);
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  const auto value = (a - b).abs().max().item<double>();
  return std::isnan(value) ? INFINITY : value;
}

/// A model in eval mode, a session over the sources of some examples, and what one pass says.
class Session {
 public:
  Session(const Registry& registry,
          const Selection& selection,
          const std::vector<Example>& examples)
      : model_(registry, selection, nn::Precision::kFp64), context_(model_.context()) {
    model_.disturb();
    std::vector<Example> sources = examples;
    for (Example& example : sources) example.target.clear();
    session_ = model_.model().start_decoding(model_.batch(sources), {12, 3, true}, context_);
  }

  DecodingSession& operator*() { return *session_; }
  int64_t start_token() const { return model_.model().conventions().start_token(); }
  /// Feeds the token of every row, like a search that chose it.
  StepOutput step(const std::vector<int64_t>& tokens) {
    if (steps_++ > 0)
      session_->chosen(tokens);
    return session_->step(at::tensor(tokens, at::kLong).to(trial_device()));
  }
  /// ln p of every word after them, [rows, vocab]. No phrase is at hand: no slot has a probability.
  at::Tensor log_probabilities(const std::vector<int64_t>& tokens) {
    return words(log_softmax_scores(step(tokens)), session_->slots());
  }
  /// ln p after every token of a pair, [target tokens, vocab], in one pass.
  at::Tensor one_pass(const Example& example) const {
    return at::log_softmax(model_.logits({example}), 1);
  }

 private:
  SmallModel model_;
  nn::Context context_;
  std::unique_ptr<DecodingSession> session_;
  int steps_ = 0;
};

Findings steps_score_every_word(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  const std::vector<Example> examples = toy_examples();
  Session session(registry, selection, examples);
  const at::Tensor scores =
      session.step(std::vector<int64_t>(examples.size(), session.start_token())).scores;
  const auto rows = static_cast<int64_t>(examples.size());
  const int64_t columns = session.one_pass(examples.front()).size(1) + (*session).slots();
  if (scores.defined() && scores.sizes() == at::IntArrayRef{rows, columns})
    return {};
  return {fmt::format("StepOutput::scores is {}; expected [rows, vocab + slots], [{}, {}]",
                      nn::shape_text(scores),
                      rows,
                      columns)};
}

Findings steps_as_one_pass(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  Findings findings;
  std::vector<Example> examples = toy_examples();
  for (Example& example : examples) example.target = {8, 9, 4, 10, kEos};
  Session session(registry, selection, examples);
  std::vector<int64_t> tokens(examples.size(), session.start_token());
  const size_t length = examples.front().target.size();
  for (size_t t = 0; t < length && findings.empty(); ++t) {
    const at::Tensor found = session.log_probabilities(tokens);
    for (size_t row = 0; row < examples.size(); ++row) {
      const at::Tensor expected = session.one_pass(examples[row])[static_cast<int64_t>(t)];
      const double difference = largest_difference(found[static_cast<int64_t>(row)], expected);
      if (difference > kTolerance) {
        findings.push_back(
            fmt::format("step {}, sentence {}: ln p differs by up to {:.3g} from a single pass; "
                        "`step` must compute what `forward` computes for the same prefix",
                        t + 1,
                        row + 1,
                        difference));
      }
      tokens[row] = examples[row].target[t];
    }
  }
  return findings;
}

/// Whether the steps of these sentences give the scores of a single pass after their last word, in
/// a session whose rows stay where they are.
bool steps_agree(const Registry& registry,
                 const Selection& selection,
                 const std::vector<Example>& examples) {
  Session session(registry, selection, examples);
  std::vector<int64_t> tokens(examples.size(), session.start_token());
  const size_t last = examples.front().target.size() - 1;
  for (size_t t = 0; t < last; ++t) {
    session.step(tokens);
    for (size_t row = 0; row < examples.size(); ++row) tokens[row] = examples[row].target[t];
  }
  const at::Tensor found = session.log_probabilities(tokens);
  for (size_t row = 0; row < examples.size(); ++row) {
    const at::Tensor expected = session.one_pass(examples[row])[static_cast<int64_t>(last)];
    if (largest_difference(found[static_cast<int64_t>(row)], expected) > kTolerance)
      return false;
  }
  return true;
}

Findings rows_keep_their_past(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  std::vector<Example> two = toy_examples();
  two.resize(2);
  Session session(registry, selection, two);
  session.step({session.start_token(), session.start_token()});
  (*session).select({1, 0, 0, 1});  // sentences 1 0 0 1
  session.step({4, 5, 6, 7});
  (*session).select({2, 0, 1});  // prefixes 6 (sentence 0), 4 (sentence 1), 5 (sentence 0)
  session.step({8, 9, 4});
  (*session).select({1, 2});
  if ((*session).rows() != 2)
    return {fmt::format("rows() is {} after select() of 2 rows", (*session).rows())};
  const at::Tensor found = session.log_probabilities({5, 6});
  std::vector<Example> plain = {two[1], two[0]};
  plain[0].target = {4, 9, 5, kEos};
  plain[1].target = {5, 4, 6, kEos};
  for (int64_t row = 0; row < 2; ++row) {
    const at::Tensor expected = session.one_pass(plain[static_cast<size_t>(row)])[3];
    if (largest_difference(found[row], expected) > kTolerance) {
      if (!steps_agree(registry, selection, plain))
        throw NotApplicable("`select` cannot be judged until `step` agrees with `forward`");
      return {
          "after rows were repeated, swapped and dropped, a row does not continue from its own "
          "state: `select` must reorder everything that is stored per row"};
    }
  }
  return {};
}

Findings a_session_alone(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  const std::vector<Example> examples = {
      toy_example(0, {4, 9, 5, kEos}), toy_example(1, {kEos}), toy_example(2, {7, kEos})};
  Session together(registry, selection, examples);
  const int64_t start = together.start_token();
  together.step({start, start, start});
  const at::Tensor expected = together.log_probabilities({6, 7, 8});
  for (size_t i = 0; i < examples.size(); ++i) {
    Session alone(registry, selection, {examples[i]});
    alone.step({start});
    const at::Tensor found = alone.log_probabilities({static_cast<int64_t>(6 + i)});
    if (largest_difference(found[0], expected[static_cast<int64_t>(i)]) > kTolerance) {
      return {fmt::format("a source of {} tokens is decoded differently alone than in a batch",
                          examples[i].source.size())};
    }
  }
  return {};
}

Findings attention_over_the_source(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  const auto examples = toy_examples();
  Session session(registry, selection, examples);
  const int64_t start = session.start_token();
  const at::Tensor weights = session.step({start, start, start}).attention;
  if (!weights.defined())
    throw NotApplicable("the session reports no attention");
  if (weights.dim() != 2 || weights.size(0) != 3 || weights.size(1) < 6)
    return {"StepOutput::attention is not [rows, longest source]"};
  for (int64_t row = 0; row < 3; ++row) {
    const auto sum = weights[row].sum().item<double>();
    if (std::abs(sum - 1) > 1e-4)
      return {fmt::format("the attention of row {} adds up to {:.5g}, not to 1", row + 1, sum)};
  }
  return {};
}

}  // namespace

std::vector<Check> decoding_checks(const Registry& registry, const Selection& selection) {
  const auto check = check_maker(registry, selection);
  return {
      check("a step scores every word", steps_score_every_word),
      check("step-by-step decoding gives the scores of a single pass", steps_as_one_pass),
      check("rows keep their state when a search reorders them", rows_keep_their_past),
      check("a sentence is decoded alone as in a batch, also an empty sentence", a_session_alone),
      check("reported attention weights sum to 1", attention_over_the_source),
  };
}

}  // namespace phraseq::conformance
