// Checks on the CPU what an update on a GPU does. With OperatorsOnly, the operators of the GPU's
// path run. They must not read values on the way, as the host would have to wait for them.

#include <map>
#include <mutex>
#include <string>

#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/criterion/pending_sums.h"
#include "core/criterion/token_loss.h"
#include "core/nn/functional/reference/operators_only.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/optim/gradient.h"
#include "core/optim/optimizers/adam.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::nn {
namespace {

using testing_support::CheckedModel;
using testing_support::examples_of;

/// Counts the operators that return values or shapes to the host, each of which waits on a GPU.
class HostReads {
 public:
  HostReads() {
    counts().clear();
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback(&note).scopes({at::RecordScope::FUNCTION}));
  }
  ~HostReads() { at::removeCallback(handle_); }
  HostReads(const HostReads&) = delete;
  HostReads& operator=(const HostReads&) = delete;

  static std::map<std::string, int>& counts() {
    static std::map<std::string, int> all;
    return all;
  }

 private:
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
    static std::mutex mutex;
    const std::string name = function.name();
    for (const char* waiting : {"aten::_local_scalar_dense",
                                "aten::is_nonzero",
                                "aten::nonzero",
                                "aten::equal",
                                "aten::masked_select",
                                "aten::_unique2",
                                "aten::bincount"}) {
      const std::lock_guard lock(mutex);
      if (name == waiting)
        ++counts()[name];
    }
    return nullptr;
  }
  at::CallbackHandle handle_ = 0;
};

class DevicePath : public ::testing::TestWithParam<bool> {
 protected:
  DevicePath() {
    TransformerOptions options;
    options.set_sizes(8, 12, 2, 2);
    options.set_dropout(0.1, 0.1, 0.1);
    options.share_decoder_input_output_embed = true;
    ArchitectureSetup setup;
    setup.source_vocabulary = 11;
    setup.target_vocabulary = 13;
    checked_ = std::make_unique<CheckedModel>(std::make_shared<TransformerModel>(options, setup));
  }

  /// The sums of a training pass; afterwards, its gradients are in the flat buffer.
  LossReport pass() {
    nn::Context context = checked_->context(/*training=*/true);
    context.recompute_layers(GetParam());
    TokenLossOptions smoothed;
    smoothed.epsilon = 0.1;
    smoothed.report_accuracy = true;
    const Batch batch =
        checked_->batch(examples_of({{4, 5, 6, kEos}, {7, kEos}}, {{8, 9, kEos}, {5, 4, 6, kEos}}));
    checked_->flat().zero_gradients();
    LossReport report =
        token_loss(checked_->model().forward(batch, context), batch, smoothed, context);
    report.loss.backward();
    return report;
  }

  std::unique_ptr<CheckedModel> checked_;
};

TEST_P(DevicePath, AsksForNoValueBeforeTheEndOfAnUpdate) {
  const OperatorsOnly as_on_a_gpu;
  Adam adam(AdamOptions(), {&checked_->flat()});
  (void)pass();  // does what is done only once
  std::map<std::string, int> in_pass, in_all;
  {
    const HostReads reads;
    LossReport report = pass();
    const at::Tensor norm = gradient_norm_on_device(checked_->flat().gradients());
    in_pass = HostReads::counts();
    EXPECT_EQ(report.loss_sum, 0.0);  // not known yet
    EXPECT_GT(read_together({&report}, norm), 0.0);
    EXPECT_GT(report.loss_sum, 0.0);
    EXPECT_TRUE(report.on_device.empty());
    adam.step(0.001, 0.5);
    in_all = HostReads::counts();
  }
  EXPECT_THAT(in_pass, ::testing::IsEmpty());
  EXPECT_THAT(in_all, ::testing::IsEmpty());
}

/// The trainer enqueues these operations in each update on a GPU. Only `take` waits, for the update
/// before.
TEST_P(DevicePath, AsksForNoValueInAnUpdateThatIsSettledLater) {
  const OperatorsOnly as_on_a_gpu;
  Adam adam(AdamOptions(), {&checked_->flat()});
  (void)pass();
  const at::Tensor before = checked_->flat().values().clone();
  const HostReads reads;
  LossReport report = pass();
  const at::Tensor norm = gradient_norm_on_device(checked_->flat().gradients()) / 5;
  const at::Tensor is_good = norm.isfinite().logical_and(report.on_device.at(kLossSum).isfinite());
  adam.step_if(is_good, 0.001, clip_factor_on_device(norm, 0.1) / 5);
  PendingSums pending(std::move(report), norm);
  EXPECT_THAT(HostReads::counts(), ::testing::IsEmpty());
  const auto values = pending.take();
  EXPECT_GT(values.report.loss_sum, 0.0);
  EXPECT_GT(values.extra, 0.0);
  EXPECT_FALSE(at::equal(checked_->flat().values(), before));
}

TEST_P(DevicePath, HasTheSumsAndGradientsOfTheKernels) {
  LossReport kernels = pass();
  const at::Tensor expected = checked_->flat().gradients().clone();
  const OperatorsOnly as_on_a_gpu;
  LossReport operators = pass();
  operators.read();
  EXPECT_NEAR(operators.loss_sum, kernels.loss_sum, 1e-10);
  EXPECT_NEAR(operators.nll_sum, kernels.nll_sum, 1e-10);
  EXPECT_EQ(operators.extras, kernels.extras);
  // All projections of a stack have a gradient.
  EXPECT_LT((checked_->flat().gradients() - expected).abs().max().item<double>(), 1e-10);
  EXPECT_NEAR(gradient_norm_on_device(expected).item<double>(), gradient_norm(expected), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(KeptAndRecomputed,
                         DevicePath,
                         ::testing::Values(false, true),
                         [](const auto& tested) { return tested.param ? "Recomputed" : "Kept"; });

TEST(HostReads, AreCounted) {
  const at::Tensor x = at::ones({3});
  const HostReads reads;
  (void)x.sum().item<float>();
  (void)at::nonzero(x);
  EXPECT_EQ(HostReads::counts(),
            (std::map<std::string, int>{{"aten::_local_scalar_dense", 1}, {"aten::nonzero", 1}}));
}

}  // namespace
}  // namespace phraseq::nn
