#include "core/criterion/pending_sums.h"

#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "core/nn/functional/reference/operators_only.h"

namespace phraseq {
namespace {

TEST(PendingSums, GiveAllSumsAndTheScalar) {
  const nn::OperatorsOnly as_on_a_gpu;
  LossReport report;
  report.loss_sum = 1.0;  // computed on the host
  report.tokens = 9;
  report.add_sum(kLossSum, at::full({}, 2.5, at::kFloat));
  report.add_sum(kNllSum, at::full({}, 4.0, at::kDouble));
  report.add_sum("correct", at::full({1}, 3, at::kLong));
  PendingSums pending(report, at::full({1, 1}, 0.125, at::kFloat));
  const auto [sums, extra] = pending.take();
  EXPECT_EQ(sums.loss_sum, 3.5);
  EXPECT_EQ(sums.nll_sum, 4.0);
  EXPECT_EQ(sums.extras.at("correct"), 3.0);
  EXPECT_EQ(sums.tokens, 9);
  EXPECT_TRUE(sums.on_device.empty());
  EXPECT_EQ(extra, 0.125);
}

TEST(PendingSums, GiveTheScalarAlone) {
  PendingSums pending(LossReport(), at::full({}, 7.0, at::kDouble));
  EXPECT_EQ(pending.take().extra, 7.0);
}

}  // namespace
}  // namespace phraseq
