#include "core/nn/transformer/layer_drop/layer_drop.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/nn/transformer/transformer_model.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> problems_of(const std::string& kept, int64_t layers) {
  std::vector<std::string> found;
  LayerDrop{0.0, kept}.check(found, "encoder", layers);
  return found;
}

TEST(LayerDropOptions, NameLayersThatExistOnce) {
  EXPECT_THAT(problems_of("", 4), IsEmpty());
  EXPECT_THAT(problems_of("3,0", 4), IsEmpty());
  for (const char* wrong : {"4", "0,0", "-1", "0,", "one", "0 2"}) {
    EXPECT_THAT(problems_of(wrong, 4),
                ElementsAre(HasSubstr(std::string("--encoder-layers-to-keep '") + wrong + "'")));
  }
  EXPECT_THAT((LayerDrop{0.0, "3,0"}.kept(4)), ElementsAre(0, 3));
  EXPECT_THAT((LayerDrop{0.0, ""}.kept(3)), ElementsAre(0, 1, 2));
}

TEST(LayerDropOptions, LeaveOutTheParametersOfTheOtherLayers) {
  const LayerDrop drop{0.0, "0,3"};
  EXPECT_TRUE(drop.leaves_out("encoder.layers.1.fc1.weight", "encoder", 4));
  EXPECT_FALSE(drop.leaves_out("encoder.layers.3.fc1.weight", "encoder", 4));
  EXPECT_FALSE(drop.leaves_out("encoder.layers.4.fc1.weight", "encoder", 4));
  EXPECT_FALSE(drop.leaves_out("decoder.layers.1.fc1.weight", "encoder", 4));
  EXPECT_FALSE(drop.leaves_out("encoder.layer_norm.weight", "encoder", 4));
}

TEST(LayerDropPass, LeavesOutEachLayerWithTheProbability) {
  const LayerDrop drop{0.25, ""};
  Context context(/*training=*/true, Precision::kFp32, 7);
  std::vector<int> dropped(4, 0);
  constexpr int kPasses = 4000;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto computed = drop.of_pass(4, context);
    for (size_t layer = 0; layer < 4; ++layer) dropped[layer] += computed[layer] ? 0 : 1;
  }
  for (const int count : dropped) EXPECT_NEAR(count, 0.25 * kPasses, 110);  // 4 standard deviations
}

TEST(LayerDropPass, IsAFunctionOfTheSeedAndDrawsNothingWhereItIsOff) {
  const auto pass = [](double probability, bool training, uint64_t* next) {
    Context context(training, Precision::kFp32, 11);
    auto computed = LayerDrop{probability, ""}.of_pass(20, context);
    *next = context.next_dropout_key();
    return computed;
  };
  uint64_t first = 0, again = 0, off = 0, evaluated = 0;
  const auto computed = pass(0.5, true, &first);
  EXPECT_EQ(computed, pass(0.5, true, &again));
  EXPECT_EQ(first, again);
  EXPECT_EQ(std::count(computed.begin(), computed.end(), true) % 20 == 0, false);
  EXPECT_EQ(pass(0.0, true, &off), std::vector<bool>(20, true));
  Context fresh(/*training=*/true, Precision::kFp32, 11);
  EXPECT_EQ(off, fresh.next_dropout_key());
  EXPECT_EQ(pass(0.5, false, &evaluated), std::vector<bool>(20, true));
}

TransformerOptions small_options() {
  TransformerOptions options;
  options.set_sizes(8, 10, 2, 3);
  options.set_dropout(0, 0, 0);
  options.max_source_positions = options.max_target_positions = 20;
  return options;
}

std::vector<Example> two_examples() {
  return testing_support::examples_of({{4, 5, 6, kEos}, {7, kEos}}, {{5, 4, kEos}, {6, 7, kEos}});
}

/// A model without some layers computes the same as a smaller model with the weights of the others.
TEST(LayersToKeep, GiveTheModelOfThoseLayers) {
  at::NoGradGuard no_grad;
  const ArchitectureSetup setup{10, 10, false, {}};
  TransformerOptions options = small_options();
  options.encoder_drop.layers_to_keep = "2";
  options.decoder_drop.layers_to_keep = "0,2";
  TransformerModel kept(options, setup);
  TransformerOptions fewer = small_options();
  fewer.encoder_layers = 1;
  fewer.decoder_layers = 2;
  TransformerModel small(fewer, setup);
  for (TransformerModel* model : {&kept, &small}) {
    model->to(at::kDouble);
    testing_support::set_golden_values(*model);
  }
  auto parameters = small.named_parameters();
  EXPECT_EQ(kept.named_parameters().size(), parameters.size());
  for (const auto& entry : kept.named_parameters()) {
    std::string name = entry.key();
    if (const size_t at = name.find("encoder.layers.2"); at == 0)
      name.replace(at, 16, "encoder.layers.0");
    if (const size_t at = name.find("decoder.layers.2"); at == 0)
      name.replace(at, 16, "decoder.layers.1");
    ASSERT_NE(parameters.find(name), nullptr) << name;
    parameters[name].copy_(entry.value());
  }
  const Batch batch = collate_pairs(two_examples(), kept.conventions());
  Context context(/*training=*/false, Precision::kFp64);
  EXPECT_TRUE(kept.forward(batch, context).hidden.equal(small.forward(batch, context).hidden));
}

/// A pass that drops layers computes the same as the model of the other layers, and the parameters
/// of a dropped layer get no gradient.
TEST(LayerDropPass, ComputesTheModelOfTheLayersThatAreLeft) {
  const ArchitectureSetup setup{10, 10, false, {}};
  TransformerOptions options = small_options();
  options.encoder_drop.probability = options.decoder_drop.probability = 0.5;
  const Batch batch = collate_pairs(two_examples(), {});
  int passes_with_dropped_layers = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    TransformerModel model(options, setup);
    model.to(at::kDouble);
    testing_support::set_golden_values(model);
    Context draws(/*training=*/true, Precision::kFp64, seed), context = draws;
    const auto encoder = options.encoder_drop.of_pass(3, draws);
    const auto decoder = options.decoder_drop.of_pass(3, draws);
    const bool reads_source = std::count(decoder.begin(), decoder.end(), true) > 0;
    const at::Tensor hidden = model.forward(batch, context).hidden;
    hidden.sum().backward();
    for (const auto& entry : model.named_parameters()) {
      for (const auto& [stack, computed] : {std::pair{"encoder", encoder}, {"decoder", decoder}}) {
        for (size_t layer = 0; layer < 3; ++layer) {
          const std::string prefix = std::string(stack) + ".layers." + std::to_string(layer) + ".";
          if (entry.key().starts_with(prefix)) {
            EXPECT_EQ(entry.value().grad().defined(), computed[layer] && reads_source)
                << entry.key();
          }
        }
      }
    }
    passes_with_dropped_layers += std::count(encoder.begin(), encoder.end(), false) > 0 ? 1 : 0;
  }
  EXPECT_GT(passes_with_dropped_layers, 2);
}

}  // namespace
}  // namespace phraseq::nn
