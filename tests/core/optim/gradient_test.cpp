#include "core/optim/gradient.h"

#include "tests/core/nn/tensor_matchers.h"

namespace phraseq {
namespace {

TEST(GradientNorm, IsTheEuclideanNormOfAllPieces) {
  const at::Tensor gradients = testing::normal({200'003}, 5, at::kFloat);
  const double expected = gradients.to(at::kDouble).norm().item<double>();
  EXPECT_NEAR(gradient_norm(gradients), expected, 1e-5 * expected);
  EXPECT_NEAR(gradient_norm_on_device(gradients).item<double>(), expected, 1e-5 * expected);
  EXPECT_EQ(gradient_norm(at::zeros({3})), 0);
}

TEST(ClipFactor, ScalesALongGradientDownToTheLimit) {
  EXPECT_DOUBLE_EQ(clip_factor(8, 2), 0.25);
  EXPECT_DOUBLE_EQ(clip_factor(2.5, 2), 0.8);
}

TEST(ClipFactor, LeavesAGradientThatIsNotTooLong) {
  EXPECT_EQ(clip_factor(2, 2), 1);
  EXPECT_EQ(clip_factor(0, 2), 1);
}

TEST(ClipFactor, IsOneWithoutALimit) {
  EXPECT_EQ(clip_factor(1e9, 0), 1);
  EXPECT_EQ(clip_factor(1e9, -1), 1);
}

TEST(ClipFactor, IsTheSameOnTheDevice) {
  for (const double norm : {0.0, 1.0, 2.0, 2.5, 1e9}) {
    for (const double limit : {-1.0, 0.0, 2.0}) {
      const at::Tensor found = clip_factor_on_device(at::scalar_tensor(norm, at::kDouble), limit);
      EXPECT_EQ(found.item<double>(), clip_factor(norm, limit)) << norm << " " << limit;
    }
  }
}

}  // namespace
}  // namespace phraseq
