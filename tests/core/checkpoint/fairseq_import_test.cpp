#include <cstdlib>
#include <fstream>
#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_writer.h"
#include "core/checkpoint/fairseq/fairseq_options.h"
#include "core/checkpoint/fairseq/fairseq_weights.h"
#include "tests/core/checkpoint/checkpoint_test_files.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::view;

/// Sizes that all differ: widths 6 and 4, hidden 5 and 3, one layer each.
json tiny_options() {
  return {{"encoder_embed_dim", 6},
          {"encoder_ffn_embed_dim", 5},
          {"encoder_layers", 1},
          {"encoder_attention_heads", 2},
          {"decoder_embed_dim", 4},
          {"decoder_ffn_embed_dim", 3},
          {"decoder_layers", 1},
          {"decoder_attention_heads", 1}};
}

std::string refusal_to_import(json changes) {
  json options = tiny_options();
  options.update(changes);
  return message_of<UsageError>([&] { options_from_fairseq(options, "options.json"); });
}

TEST(FairseqOptions, GetFairseqsDefaultsAndWhatItHasBuiltIn) {
  json expected = tiny_options();
  expected.update({{"encoder_normalize_before", false},
                   {"decoder_normalize_before", false},
                   {"share_all_embeddings", false},
                   {"share_decoder_input_output_embed", false},
                   {"no_scale_embedding", false},
                   {"dropout", 0.1},
                   {"attention_dropout", 0.0},
                   {"activation_dropout", 0.0},
                   {"max_source_positions", 1024},
                   {"max_target_positions", 1024},
                   {"activation_fn", "relu"},
                   {"pos", "fairseq"},
                   {"embed_norm", "no"},
                   {"norm_eps", 1e-5},
                   {"attn_bias", true},
                   {"ffn_bias1", true},
                   {"ffn_bias2", true},
                   {"out_bias", false},
                   {"start_token", "eos"},
                   {"source_bos", false},
                   {"source_eos", true},
                   {"forbid_outputs", false},
                   {"init", "fairseq"}});
  EXPECT_EQ(options_from_fairseq(tiny_options(), "options.json"), expected);
}

TEST(FairseqOptions, AreTranslatedWhereTheNamesDiffer) {
  json options = tiny_options();
  options.update({{"encoder_learned_pos", true},
                  {"decoder_learned_pos", true},
                  {"layernorm_embedding", true},
                  {"relu_dropout", 0.25},
                  {"activation_dropout", 0.0},
                  {"activation_fn", "gelu"},
                  {"no_scale_embedding", true},
                  {"arch", "transformer_iwslt_de_en"},
                  {"max_target_positions", 77}});
  const json ours = options_from_fairseq(options, "options.json");
  EXPECT_EQ(ours["pos"], "learned");
  EXPECT_EQ(ours["embed_norm"], "before-dropout");
  EXPECT_EQ(ours["activation_dropout"], 0.25);
  EXPECT_EQ(ours["activation_fn"], "gelu");
  EXPECT_EQ(ours["no_scale_embedding"], true);
  EXPECT_EQ(ours["max_target_positions"], 77);
  options["no_token_positional_embeddings"] = true;
  EXPECT_EQ(options_from_fairseq(options, "options.json")["pos"], "none");
}

TEST(FairseqOptions, AreRejectedByNameIfTheyHaveNoCounterpart) {
  EXPECT_EQ(
      refusal_to_import(
          {{"adaptive_softmax_cutoff", nullptr}, {"base_layers", 0}, {"adaptive_input", false}}),
      kNothingThrown);
  EXPECT_THAT(refusal_to_import({{"adaptive_softmax_cutoff", "1000,2000"}}),
              HasSubstr("adaptive_softmax_cutoff = \"1000,2000\""));
  EXPECT_THAT(refusal_to_import({{"quant_noise_pq", 0.1}}), HasSubstr("quant_noise_pq = 0.1"));
  for (const std::string stack : {"encoder", "decoder"}) {
    const std::string name = stack + "_xformers_att_config";
    EXPECT_EQ(refusal_to_import({{name, nullptr}}), kNothingThrown);
    EXPECT_THAT(refusal_to_import({{name, "{'name': 'linformer'}"}}), HasSubstr(name + " = "));
  }
  EXPECT_EQ(refusal_to_import({{"encoder_layers_to_keep", "0,2,4,5,7,9"}, {"encoder_layers", 6}}),
            kNothingThrown);
  EXPECT_THAT(refusal_to_import({{"encoder_layers_to_keep", "0,2"}, {"encoder_layers", 6}}),
              HasSubstr("encoder_layers_to_keep = \"0,2\""));
  EXPECT_THAT(refusal_to_import({{"no_cross_attention", true}}),
              HasSubstr("no_cross_attention = true"));
  EXPECT_THAT(refusal_to_import({{"decoder_output_dim", 8}}), HasSubstr("decoder_output_dim = 8"));
  EXPECT_THAT(refusal_to_import({{"activation_fn", "gelu_fast"}}),
              HasSubstr("activation_fn = \"gelu_fast\""));
  EXPECT_THAT(refusal_to_import({{"encoder_learned_pos", true}}),
              HasSubstr("encoder_learned_pos and decoder_learned_pos differ"));
  EXPECT_THAT(refusal_to_import({{"arch", "fconv"}}), HasSubstr("arch = \"fconv\""));
  EXPECT_THAT(refusal_to_import({{"encoder_layers", nullptr}}),
              HasSubstr("encoder_layers = null, expected a size"));
  EXPECT_THAT(refusal_to_import({{"dropout", "much"}}), HasSubstr("dropout = \"much\""));
  EXPECT_THAT(refusal_to_import({{"arch", "lstm"}, {"base_layers", 1}}),
              AllOf(HasSubstr("arch = \"lstm\""), HasSubstr("base_layers = 1")));
  EXPECT_THROW(options_from_fairseq(json::array(), "options.json"), FormatError);
}

/// Collects the weights of a fairseq model; every tensor holds different numbers.
class Weights {
 public:
  void add(const std::string& name, std::vector<int64_t> shape) {
    TensorView tensor{name, DType::kF32, std::move(shape), {}};
    auto& values = values_.emplace_back(static_cast<size_t>(tensor.elements()),
                                        static_cast<float>(values_.size()));
    tensor.bytes = std::as_bytes(std::span(values));
    tensors.push_back(tensor);
  }

  void add_linear(const std::string& name, int64_t out, int64_t in) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  void add_norm(const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

  void copy(const std::string& from, const std::string& to) {
    TensorView tensor = *find(from);
    tensor.name = to;
    tensors.push_back(tensor);
  }

  TensorView* find(const std::string& name) {
    for (auto& tensor : tensors) {
      if (tensor.name == name)
        return &tensor;
    }
    return nullptr;
  }

  std::vector<TensorView> tensors;

 private:
  std::list<std::vector<float>> values_;
};

class FairseqWeights : public ::testing::Test {
 protected:
  FairseqWeights() : options(options_from_fairseq(tiny_options(), "options.json")) {
    weights.add("encoder.embed_tokens.weight", {11, 6});
    for (const char* map : {"q_proj", "k_proj", "v_proj", "out_proj"}) {
      weights.add_linear(std::string("encoder.layers.0.self_attn.") + map, 6, 6);
      weights.add_linear(std::string("decoder.layers.0.self_attn.") + map, 4, 4);
    }
    weights.add_norm("encoder.layers.0.self_attn_layer_norm", 6);
    weights.add_linear("encoder.layers.0.fc1", 5, 6);
    weights.add_linear("encoder.layers.0.fc2", 6, 5);
    weights.add_norm("encoder.layers.0.final_layer_norm", 6);
    weights.add("decoder.embed_tokens.weight", {9, 4});
    weights.add_norm("decoder.layers.0.self_attn_layer_norm", 4);
    weights.add_linear("decoder.layers.0.encoder_attn.q_proj", 4, 4);
    weights.add_linear("decoder.layers.0.encoder_attn.k_proj", 4, 6);
    weights.add_linear("decoder.layers.0.encoder_attn.v_proj", 4, 6);
    weights.add_linear("decoder.layers.0.encoder_attn.out_proj", 4, 4);
    weights.add_norm("decoder.layers.0.encoder_attn_layer_norm", 4);
    weights.add_linear("decoder.layers.0.fc1", 3, 4);
    weights.add_linear("decoder.layers.0.fc2", 4, 3);
    weights.add_norm("decoder.layers.0.final_layer_norm", 4);
    weights.add("decoder.output_projection.weight", {9, 4});
  }

  /// Returns the names of the imported tensors, or the message of the error.
  std::string take() {
    write_checkpoint(folder.file("weights"), {}, weights.tensors);
    const auto file = CheckpointFile::open(folder.file("weights"));
    try {
      const auto taken = weights_from_fairseq(file.tensors(), file.path(), options, 11, 9);
      std::string names;
      for (const auto& tensor : taken) names += tensor.name + "\n";
      return names;
    } catch (const FormatError& problem) {
      return problem.message();
    }
  }

  TemporaryFolder folder;
  Weights weights;
  json options;
};

TEST_F(FairseqWeights, AreImportedCompletely) {
  const std::string names = take();
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(names, '\n')), weights.tensors.size()) << names;
}

TEST_F(FairseqWeights, IgnoreBuffersAndSecondCopies) {
  const std::string plain = take();
  weights.add("encoder.version", {1});
  weights.add("encoder.embed_positions._float_tensor", {1});
  weights.add("encoder.layers.0.in_proj_weight", {18, 6});
  weights.add("encoder.layers.0.fc1_bias", {5});
  EXPECT_EQ(take(), plain);
}

TEST_F(FairseqWeights, TakeASharedMatrixOnce) {
  options["share_decoder_input_output_embed"] = true;
  EXPECT_THAT(take(),
              HasSubstr("decoder.embed_tokens.weight and decoder.output_projection.weight differ"));
  std::erase_if(weights.tensors, [](const auto& tensor) {
    return tensor.name == "decoder.output_projection.weight";
  });
  weights.copy("decoder.embed_tokens.weight", "decoder.output_projection.weight");
  EXPECT_THAT(take(),
              AllOf(HasSubstr("decoder.embed_tokens.weight"), Not(HasSubstr("output_projection"))));
}

TEST_F(FairseqWeights, TakeASharedMatrixUnderAnyOfItsNames) {
  options["share_decoder_input_output_embed"] = true;
  std::erase_if(weights.tensors,
                [](const auto& tensor) { return tensor.name == "decoder.embed_tokens.weight"; });
  EXPECT_THAT(take(),
              AllOf(HasSubstr("decoder.embed_tokens.weight"), Not(HasSubstr("output_projection"))));
}

TEST_F(FairseqWeights, ListEverythingThatDoesNotFit) {
  options["encoder_normalize_before"] = true;
  weights.find("decoder.layers.0.fc1.weight")->shape = {4, 3};
  weights.find("decoder.layers.0.fc1.bias")->dtype = DType::kI32;
  weights.add("decoder.layers.1.fc1.weight", {3, 4});
  EXPECT_THAT(take(),
              AllOf(HasSubstr("encoder.layer_norm.weight is missing"),
                    HasSubstr("decoder.layers.0.fc1.weight is [4, 3], not [3, 4]"),
                    HasSubstr("decoder.layers.0.fc1.bias is I32"),
                    HasSubstr("decoder.layers.1.fc1.weight is not a parameter of this model")));
}

TEST_F(FairseqWeights, FollowTheOptionsThatAddParameters) {
  options.update({{"pos", "learned"},
                  {"embed_norm", "before-dropout"},
                  {"encoder_normalize_before", true},
                  {"decoder_normalize_before", true},
                  {"max_source_positions", 7},
                  {"max_target_positions", 8}});
  weights.add("encoder.embed_positions.weight", {9, 6});
  weights.add("decoder.embed_positions.weight", {10, 4});
  weights.add_norm("encoder.layernorm_embedding", 6);
  weights.add_norm("decoder.layernorm_embedding", 4);
  weights.add_norm("encoder.layer_norm", 6);
  weights.add_norm("decoder.layer_norm", 4);
  const std::string names = take();
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(names, '\n')), weights.tensors.size()) << names;
}

TEST(FairseqImport, ImportsARealModelCompletely) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string folder = std::string(data) + "/fairseq/";
  std::ifstream options(folder + "options.json");
  const auto weights = CheckpointFile::open(folder + "model.safetensors");
  const auto taken =
      weights_from_fairseq(weights.tensors(),
                           weights.path(),
                           options_from_fairseq(json::parse(options), "options.json"),
                           9648,
                           9648);
  EXPECT_EQ(taken.size(), 169U);
  EXPECT_EQ(taken.size(), weights.tensors().size());
}

}  // namespace
}  // namespace phraseq
