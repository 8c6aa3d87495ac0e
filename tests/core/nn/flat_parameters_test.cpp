#include "core/nn/flat_parameters.h"

#include <torch/nn/module.h>

#include "core/base/error.h"
#include "tests/core/nn/tensor_matchers.h"

namespace phraseq::nn {
namespace {

using phraseq::testing::normal;

/// Vectors and matrices registered alternately; `tied` is `first` under a second name.
struct SmallModel : torch::nn::Module {
  at::Tensor bias = register_parameter("bias", normal({3}, 1, at::kFloat));
  at::Tensor first = register_parameter("first", normal({3, 5}, 2, at::kFloat));
  at::Tensor gain = register_parameter("gain", normal({7}, 3, at::kFloat));
  at::Tensor second = register_parameter("second", normal({2, 5}, 4, at::kFloat));
  at::Tensor tied = register_parameter("tied", first);
};

TEST(FlatParameters, PutsMatricesSideBySideInFrontOfVectors) {
  SmallModel model;
  const FlatParameters flat(model, true);
  std::vector<std::string> names;
  std::vector<int64_t> offsets;
  for (const auto& entry : flat.entries()) {
    names.push_back(entry.name);
    offsets.push_back(entry.offset);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "bias", "gain"}));
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 15, 32, 35}));
  EXPECT_EQ(flat.values().numel(), 48);
}

TEST(FlatParameters, KeepsTheValuesAndTheTie) {
  SmallModel model;
  const at::Tensor before = model.first.clone();
  FlatParameters flat(model, true);
  EXPECT_TRUE(at::equal(model.first, before));
  flat.values()[0] = 42.0F;
  EXPECT_EQ(model.first[0][0].item<float>(), 42.0F);
  EXPECT_EQ(model.tied[0][0].item<float>(), 42.0F);
}

TEST(FlatParameters, CollectsGradientsOfTiedParametersInOnePlace) {
  SmallModel model;
  FlatParameters flat(model, true);
  (model.first.sum() + 2.0 * model.tied.sum() + 5.0 * model.gain.sum()).backward();
  EXPECT_TRUE(at::equal(flat.gradients().narrow(0, 0, 15), at::full({15}, 3.0F)));
  EXPECT_TRUE(at::equal(flat.gradients().narrow(0, 35, 7), at::full({7}, 5.0F)));
  EXPECT_EQ(flat.gradients().sum().item<float>(), 80.0F);
  flat.zero_gradients();
  EXPECT_EQ(model.first.grad().abs().sum().item<float>(), 0.0F);
}

TEST(FlatParameters, OfAReplicaReadTheOriginalsValuesAndHaveTheirOwnGradients) {
  SmallModel original, other;
  FlatParameters flat(original, true);
  flat.refresh_bf16();
  FlatParameters replica(other, flat);
  flat.values()[35] = 42.0F;
  flat.refresh_bf16();
  EXPECT_EQ(other.gain[0].item<float>(), 42.0F);
  EXPECT_EQ(replica.bf16_view(other.gain)[0].item<float>(), 42.0F);
  (other.first.sum() + 2.0 * other.tied.sum()).backward();
  EXPECT_TRUE(at::equal(replica.gradients().narrow(0, 0, 15), at::full({15}, 3.0F)));
  EXPECT_TRUE(replica.gradient_view(other.first).is_alias_of(replica.gradients()));
  EXPECT_EQ(flat.gradients().abs().sum().item<float>(), 0.0F);
}

TEST(FlatParameters, OfAReplicaRejectAnotherModule) {
  struct OtherModel : torch::nn::Module {
    at::Tensor first = register_parameter("first", normal({3, 4}, 2, at::kFloat));
  };
  SmallModel original;
  OtherModel other;
  const FlatParameters flat(original, true);
  EXPECT_THROW(FlatParameters(other, flat), UsageError);
}

TEST(FlatParameters, OfAReplicaLieWhereTheOriginalsDo) {
  SmallModel original, other;
  const at::Tensor values = normal({43}, 5, at::kFloat);
  const FlatParameters flat(original, values, [](const FlatParameters::Entry& entry) {
    return entry.name == "first" ? 20 : entry.name == "second" ? 2 : entry.name == "bias" ? 13 : 36;
  });
  EXPECT_TRUE(at::equal(original.tied.flatten(), values.narrow(0, 20, 15)));
  const FlatParameters replica(other, flat);
  EXPECT_TRUE(at::equal(other.gain, original.gain));
  EXPECT_TRUE(other.gain.is_alias_of(values));
}

TEST(FlatParameters, CanBeLaidOutBeforeTheyHaveValues) {
  SmallModel model;
  FlatParameters flat = FlatParameters::unset(model);
  EXPECT_EQ(flat.values().numel(), 48);
  for (const auto& entry : flat.entries()) entry.parameter.detach().fill_(1.0);
  EXPECT_EQ(flat.values().sum().item<float>(), 15 + 10 + 3 + 7);  // zeros between them
  EXPECT_EQ(model.tied[2][4].item<float>(), 1.0F);
}

TEST(FlatParameters, RenewsTheBf16CopyOnRequestOnly) {
  SmallModel model;
  FlatParameters flat(model, false);
  EXPECT_TRUE(flat.bf16_view(model.second).is_same(model.second));
  flat.refresh_bf16();
  const at::Tensor copy = flat.bf16_view(model.second);
  EXPECT_EQ(copy.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(copy, model.second.detach().to(at::kBFloat16)));
  flat.values().zero_();
  EXPECT_NE(copy.abs().sum().item<float>(), 0.0F);
  flat.refresh_bf16();
  EXPECT_EQ(copy.abs().sum().item<float>(), 0.0F);
}

TEST(FlatParameters, HasACopyForEveryPrecisionOf16Bits) {
  SmallModel model;
  FlatParameters flat(model, false);
  flat.refresh_copy(Precision::kFp32);
  flat.refresh_copy(Precision::kFp64);
  EXPECT_FALSE(flat.bf16().defined());
  EXPECT_FALSE(flat.fp16().defined());
  flat.refresh_copy(Precision::kFp16);
  EXPECT_FALSE(flat.bf16().defined());
  EXPECT_TRUE(at::equal(flat.fp16_view(model.second), model.second.detach().to(at::kHalf)));
  flat.values().add_(1.5);
  flat.refresh_copy(Precision::kFp16);
  flat.refresh_copy(Precision::kBf16);
  const Context half(false, Precision::kFp16, 0, &flat), brain(false, Precision::kBf16, 0, &flat);
  EXPECT_TRUE(at::equal(half.compute(model.second), model.second.detach().to(at::kHalf)));
  EXPECT_TRUE(at::equal(brain.compute(model.second), model.second.detach().to(at::kBFloat16)));
  // Views of the 16-bit copy, which need no memory of their own.
  EXPECT_EQ(half.compute(model.second).const_data_ptr(),
            flat.fp16_view(model.second).const_data_ptr());
}

TEST(FlatParameters, RejectsAModelWithoutParameters) {
  torch::nn::Module empty;
  EXPECT_THROW(FlatParameters(empty, true), UsageError);
}

}  // namespace
}  // namespace phraseq::nn
