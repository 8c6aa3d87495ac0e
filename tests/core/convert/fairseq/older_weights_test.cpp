#include "core/convert/fairseq/older_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/checkpoint/checkpoint_test_files.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using testing::values_of;
using testing::view;

std::vector<std::string> names_of(const std::vector<TensorView>& tensors) {
  std::vector<std::string> names;
  for (const auto& tensor : tensors) names.push_back(tensor.name);
  return names;
}

/// The present names of one-dimensional parameters with these older names.
std::vector<std::string> present_names(const std::vector<std::string>& names) {
  static const std::vector<float> value = {1};
  std::vector<TensorView> tensors;
  for (const auto& name : names) tensors.push_back(view(name, DType::kF32, {1}, value));
  return names_of(with_present_names(tensors));
}

TEST(OlderFairseqWeights, NameTheMatrixOfTheOutputAndTheNormsOfALayer) {
  EXPECT_THAT(present_names({"decoder.embed_out",
                             "encoder.layers.3.layer_norms.0.weight",
                             "encoder.layers.3.layer_norms.1.bias",
                             "decoder.layers.0.layer_norms.0.bias",
                             "decoder.layers.0.layer_norms.1.weight",
                             "decoder.layers.0.layer_norms.2.weight",
                             "decoder.layers.0.fc1.weight"}),
              ElementsAre("decoder.output_projection.weight",
                          "encoder.layers.3.self_attn_layer_norm.weight",
                          "encoder.layers.3.final_layer_norm.bias",
                          "decoder.layers.0.self_attn_layer_norm.bias",
                          "decoder.layers.0.encoder_attn_layer_norm.weight",
                          "decoder.layers.0.final_layer_norm.weight",
                          "decoder.layers.0.fc1.weight"));
}

TEST(OlderFairseqWeights, JoinQueryKeyAndValue) {
  const std::vector<float> weight = {1, 2, 3, 4, 5, 6}, bias = {7, 8, 9};
  const auto parts =
      with_present_names({view("self_attn.in_proj_weight", DType::kF32, {3, 2}, weight),
                          view("self_attn.in_proj_bias", DType::kF32, {3}, bias)});
  EXPECT_THAT(names_of(parts),
              ElementsAre("self_attn.q_proj.weight",
                          "self_attn.k_proj.weight",
                          "self_attn.v_proj.weight",
                          "self_attn.q_proj.bias",
                          "self_attn.k_proj.bias",
                          "self_attn.v_proj.bias"));
  EXPECT_THAT(parts[1].shape, ElementsAre(1, 2));
  EXPECT_THAT(values_of<float>(parts[1]), ElementsAre(3, 4));
  EXPECT_THAT(values_of<float>(parts[5]), ElementsAre(9));
}

TEST(OlderFairseqWeights, LeaveTheJointProjectionOfALayerAlone) {
  EXPECT_THAT(present_names({"encoder.layers.0.in_proj_weight"}),
              ElementsAre("encoder.layers.0.in_proj_weight"));
  const std::vector<float> bias = {7, 8, 9};
  EXPECT_THAT(
      names_of(with_present_names({view("encoder.layers.0.in_proj_bias", DType::kF32, {3}, bias)})),
      ElementsAre("encoder.layers.0.in_proj_bias"));
}

TEST(OlderFairseqWeights, KeepAJointProjectionThatHasItsPartsBesideIt) {
  EXPECT_THAT(present_names({"self_attn.in_proj_bias", "self_attn.q_proj.bias"}),
              ElementsAre("self_attn.in_proj_bias", "self_attn.q_proj.bias"));
  EXPECT_THAT(present_names({"self_attn.in_proj_weight"}), ElementsAre("self_attn.in_proj_weight"));
}

}  // namespace
}  // namespace phraseq
