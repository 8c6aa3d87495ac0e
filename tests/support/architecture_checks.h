#pragma once

// Checks that every architecture must pass, whatever its mathematics, on one small model in double
// precision.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/criterion/token_loss.h"
#include "core/data/collate.h"
#include "core/nn/architecture.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/recording.h"
#include "core/text/dictionary.h"

namespace phraseq::testing_support {

using Sequences = std::vector<std::vector<int64_t>>;

/// The device of CheckedModels: PHRASEQ_TEST_DEVICE of the environment ("cuda"), or else the CPU.
inline at::Device test_device() {
  const char* const name = std::getenv("PHRASEQ_TEST_DEVICE");
  return at::Device(name == nullptr || *name == '\0' ? std::string("cpu") : std::string(name));
}

/// The values written by tests/golden/NAME/generate.py.
inline nlohmann::json golden_values(const std::string& name) {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/" + name + "/golden.json");
  return nlohmann::json::parse(file);
}

/// Sentence pairs as examples numbered from 0.
inline std::vector<Example> examples_of(const Sequences& sources, const Sequences& targets) {
  std::vector<Example> examples;
  for (size_t i = 0; i < sources.size(); ++i)
    examples.push_back({static_cast<int64_t>(i), sources[i], targets[i], {}});
  return examples;
}

/// Fills every parameter by the formula of tests/golden/transformer/generate.py: a function of its
/// name and of the element's number.
inline void set_golden_values(torch::nn::Module& model) {
  at::NoGradGuard no_grad;
  for (const auto& entry : model.named_parameters()) {
    const std::string& name = entry.key();
    double bytes = 0;
    for (const unsigned char byte : name) bytes += byte;
    const at::Tensor element = at::arange(1, entry.value().numel() + 1, at::kDouble);
    at::Tensor values = 0.25 * at::sin(0.61 * element + 0.017 * bytes);
    const bool gain =
        name.ends_with("layer_norm.weight") || name.ends_with("layernorm_embedding.weight");
    if (gain)
      values = 1 + 0.4 * values;
    entry.value().copy_(values.view(entry.value().sizes()));
  }
}

/// A model with golden values in fp64, and the checks on it.
class CheckedModel {
 public:
  explicit CheckedModel(std::shared_ptr<Architecture> architecture)
      : model_(std::move(architecture)) {
    at::set_num_threads(1);  // such small models would only wait for a second thread
    model_->to(at::kDouble);
    set_golden_values(*model_);
    model_->to(test_device());
    flat_ = std::make_unique<nn::FlatParameters>(*model_, /*with_gradients=*/true);
  }

  Architecture& model() const { return *model_; }
  nn::FlatParameters& flat() const { return *flat_; }

  Batch batch(const std::vector<Example>& examples) const {
    return collate_pairs(examples, model_->conventions()).to(test_device());
  }
  nn::Context context(bool training = false) const {
    return {training, nn::Precision::kFp64, /*seed=*/7, flat_.get()};
  }
  at::Tensor logits(const std::vector<Example>& examples) const {
    nn::Context pass = context();
    return model_->forward(batch(examples), pass).logits(pass);
  }

  /// ln p of all target tokens, one sentence after the other.
  std::vector<double> log_probabilities(const std::vector<Example>& examples) const {
    at::NoGradGuard no_grad;
    nn::Context pass = context();
    const Batch made = batch(examples);
    const at::Tensor scores =
        token_log_probabilities(model_->forward(made, pass), made, pass).cpu();
    return {scores.data_ptr<double>(), scores.data_ptr<double>() + scores.numel()};
  }

  /// Expects that all self-attention and cross-attention records its weights, whose rows add up to
  /// 1, and that a recorded pass gives the same result as another one.
  void expect_recorded_attention(const std::vector<Example>& examples, size_t modules) const {
    at::NoGradGuard no_grad;
    nn::Recording recording;
    nn::Context pass = context();
    pass.record_into(&recording);
    const at::Tensor recorded = model_->forward(batch(examples), pass).logits(pass);
    EXPECT_TRUE(recorded.equal(logits(examples)));
    size_t shown = 0;
    for (const auto& entry : recording.in_order(*model_)) {
      if (!entry.name.ends_with("_attn.weights"))
        continue;
      ++shown;
      ASSERT_EQ(entry.values.dim(), 5) << entry.name;
      const at::Tensor sums = entry.values.sum({3, 4});  // [query kinds, heads, query tokens]
      EXPECT_LT((sums - 1).abs().max().item<double>(), 1e-6) << entry.name;  // fp32
    }
    EXPECT_EQ(shown, modules);
  }

  /// Expects the scores of an independent computation, a list for each sentence.
  void expect_log_probabilities(const std::vector<Example>& examples,
                                const nlohmann::json& of_sentences) const {
    std::vector<double> expected;
    for (const auto& sentence : of_sentences) {
      for (const double value : sentence) expected.push_back(value);
    }
    EXPECT_THAT(log_probabilities(examples),
                testing::Pointwise(testing::DoubleNear(1e-10), expected));
  }

  /// Expects the same score of a sentence alone and in a batch.
  void expect_alone_as_in_a_batch(const std::vector<Example>& examples) const {
    const std::vector<double> together = log_probabilities(examples);
    size_t next = 0;
    for (const Example& example : examples) {
      for (const double alone : log_probabilities({example}))
        EXPECT_NEAR(alone, together[next++], 1e-10) << "sentence " << example.id;
    }
  }

  /// Expects that decoding step by step gives the scores of one pass. All targets are replaced by
  /// the longest one, so that every row takes every step.
  void expect_steps_as_in_one_pass(std::vector<Example> examples) const {
    at::NoGradGuard no_grad;
    const auto target = std::max_element(examples.begin(), examples.end(), [](auto& a, auto& b) {
                          return a.target.size() < b.target.size();
                        })->target;
    for (Example& example : examples) example.target = target;
    const auto length = static_cast<int64_t>(target.size());
    const at::Tensor full = logits(examples).view({-1, length, logits(examples).size(1)});
    const at::Tensor fed = batch(examples).target_in.ids.view({-1, length});
    nn::Context pass = context();
    const auto session = model_->start_decoding(batch(examples), {length, 1, false}, pass);
    for (int64_t t = 0; t < length; ++t) {
      const at::Tensor scores = session->step(fed.select(1, t).contiguous()).scores;
      EXPECT_LT((scores - full.select(1, t)).abs().max().item<double>(), 1e-10) << "step " << t;
    }
  }

  /// Expects that each row continues from its own past after rows were repeated, swapped and
  /// dropped. Uses the sources of two examples.
  void expect_rows_keep_their_past(const std::vector<Example>& examples) const {
    at::NoGradGuard no_grad;
    const std::vector<Example> two(examples.begin(), examples.begin() + 2);
    const int64_t start = model_->conventions().start_token();
    nn::Context pass = context();
    auto session = model_->start_decoding(batch(two), {10, 3, false}, pass);
    const auto step = [&](std::vector<int64_t> tokens) {
      return session->step(at::tensor(tokens, at::kLong).to(test_device())).scores;
    };
    step({start, start});
    session->select({1, 0, 0, 1});  // sentences 1 0 0 1
    step({4, 5, 6, 7});
    session->select({2, 0, 1});  // prefixes 6 (sentence 0), 4 (sentence 1), 5 (sentence 0)
    step({8, 9, 4});
    session->select({1, 2});
    const at::Tensor scores = step({5, 6});
    std::vector<Example> plain = {two[1], two[0]};
    plain[0].target = {4, 9, 5, kEos};
    plain[1].target = {5, 4, 6, kEos};
    const at::Tensor full = logits(plain);
    EXPECT_LT((scores[0] - full[3]).abs().max().item<double>(), 1e-10);
    EXPECT_LT((scores[1] - full[7]).abs().max().item<double>(), 1e-10);
  }

  /// Compares the gradient of the loss, in training mode with dropout masks, with central
  /// differences in a direction that changes every parameter.
  void expect_gradient_of_finite_differences(const std::vector<Example>& examples) {
    const Batch made = batch(examples);
    TokenLossOptions smoothed;
    smoothed.epsilon = 0.1;
    expect_gradient_of_finite_differences([&](nn::Context& pass) {
      return token_loss(model_->forward(made, pass), made, smoothed, pass).loss;
    });
  }

  /// The same for another loss.
  void expect_gradient_of_finite_differences(
      const std::function<at::Tensor(nn::Context&)>& loss_of) {
    const auto loss = [&] {
      nn::Context pass = context(/*training=*/true);
      return loss_of(pass);
    };
    flat_->zero_gradients();
    loss().backward();
    at::NoGradGuard no_grad;
    // One direction for all parameters, and one for each, so that no error can hide in the sum.
    std::vector<at::Tensor> directions = {
        at::sin(at::arange(flat_->values().numel(), flat_->values().options()) * 1.7)};
    for (const auto& entry : flat_->entries()) {
      at::Tensor direction = at::zeros_like(directions[0]);
      auto part = direction.narrow(0, entry.offset, entry.parameter.numel());
      part.copy_(directions[0].narrow(0, entry.offset, entry.parameter.numel()));
      directions.push_back(direction);
    }
    constexpr double kStep = 1e-6;
    for (size_t i = 0; i < directions.size(); ++i) {
      const double analytic = (flat_->gradients() * directions[i]).sum().item<double>();
      flat_->values().add_(directions[i], kStep);
      const double above = loss().item<double>();
      flat_->values().add_(directions[i], -2 * kStep);
      const double below = loss().item<double>();
      flat_->values().add_(directions[i], kStep);
      EXPECT_NEAR(analytic, (above - below) / (2 * kStep), 2e-5 * std::abs(analytic) + 2e-6)
          << (i == 0 ? "all parameters" : flat_->entries()[i - 1].name);
    }
  }

 private:
  std::shared_ptr<Architecture> model_;
  std::unique_ptr<nn::FlatParameters> flat_;
};

inline int64_t count_parameters(const torch::nn::Module& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace phraseq::testing_support
