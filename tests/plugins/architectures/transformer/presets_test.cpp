#include "plugins/architectures/transformer/presets.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/convert/export_model.h"
#include "core/nn/transformer/transformer_options.h"
#include "core/options/option_text.h"

namespace phraseq::transformer {
namespace {

using nlohmann::json;

/// The values of a preset, or of the architecture itself, by the name of the option.
json values_of(const std::string& name) {
  nn::TransformerOptions options;
  for (const Preset& preset : transformer_presets()) {
    if (preset.name == name)
      preset.apply(options);
  }
  OptionTable table;
  options.describe(table);
  return to_json(table);
}

json fairseq_defaults() {
  std::ifstream file(PHRASEQ_SOURCE_FOLDER "/tests/golden/transformer/fairseq_defaults.json");
  return json::parse(file);
}

TEST(TransformerOptions, HaveTheDefaultsThatExportsAssume) {
  const json assumed = default_options_of("transformer");
  const json values = values_of("transformer");
  for (const auto& [name, value] : assumed.items()) EXPECT_EQ(values.at(name), value) << name;
}

TEST(TransformerPresets, OfFairseqHaveFairseqsValues) {
  const json fairseq = fairseq_defaults();
  ASSERT_TRUE(fairseq.contains("transformer") && fairseq.contains("transformer_iwslt"));
  ASSERT_TRUE(fairseq.contains("transformer_wmt_en_de_big_t2t"));
  ASSERT_EQ(fairseq.size(), 8U);
  for (const auto& [name, expected] : fairseq.items()) {
    const json values = values_of(name);
    for (const auto& [option, value] : expected.items()) {
      ASSERT_TRUE(values.contains(option)) << option;
      EXPECT_EQ(values[option], value) << name << ": " << option;
    }
    EXPECT_EQ(values["pos"], "fairseq") << name;
    EXPECT_EQ(values["init"], "fairseq") << name;
    EXPECT_EQ(values["out_bias"], false) << name;
  }
}

TEST(TransformerPresets, WithFairseqsNamesTrainWithItsLabelSmoothingAndSchedule) {
  int count = 0;
  for (const Preset& preset : transformer_presets()) {
    if (preset.name != "transformer_iwslt_de_en" &&
        preset.name.find("_wmt_en_") == std::string::npos)
      continue;
    ++count;
    EXPECT_EQ(preset.training.lr_scheduler, "fixed") << preset.name;
    const auto& options = preset.training.options;
    const std::pair<std::string, std::string> kernel = {"smoothing-kernel", "fairseq-0.12"};
    EXPECT_TRUE(std::find(options.begin(), options.end(), kernel) != options.end()) << preset.name;
  }
  EXPECT_EQ(count, 6);
}

TEST(TransformerPresets, NguyenNguyenIsFairseqsIwsltPresetWithTheOptionsOfTheAuthorsScripts) {
  // run_sota_baseline.sh: --share-all-embeddings --dropout 0.3 --attention-dropout 0.1
  // --activation-dropout 0.1
  json expected = values_of("transformer_iwslt");
  expected.update({{"share_all_embeddings", true},
                   {"dropout", 0.3},
                   {"attention_dropout", 0.1},
                   {"activation_dropout", 0.1}});
  EXPECT_EQ(values_of("transformer_nguyen_nguyen"), expected);
}

TEST(TransformerPresets, OfTheTinySizeIsPreNormWithLittleDropout) {
  const json values = values_of("transformer_tiny");
  for (const std::string side : {"encoder", "decoder"}) {
    EXPECT_EQ(values[side + "_embed_dim"], 128);
    EXPECT_EQ(values[side + "_ffn_embed_dim"], 256);
    EXPECT_EQ(values[side + "_attention_heads"], 4);
    EXPECT_EQ(values[side + "_layers"], 4);
    EXPECT_EQ(values[side + "_normalize_before"], true);
  }
  EXPECT_EQ(values["dropout"], 0.2);
  EXPECT_EQ(values["attention_dropout"], 0.0);
  EXPECT_EQ(values["activation_dropout"], 0.0);
}

TEST(TransformerPresets, OfNeutronAndTensor2tensorHaveTheirNormsAndDropout) {
  for (const char* name : {"transformer_xu_base", "transformer_nguyen_joty"}) {
    const json values = values_of(name);
    EXPECT_EQ(values["norm_eps"], 1e-6) << name;
    for (const char* option : {"dropout", "attention_dropout", "activation_dropout"})
      EXPECT_EQ(values[option], 0.1) << name << ": " << option;
    EXPECT_EQ(values["attn_bias"], false) << name;
  }
  EXPECT_EQ(values_of("transformer_xu_base")["embed_norm"], "after-dropout");
  EXPECT_EQ(values_of("transformer_xu_base")["encoder_normalize_before"], false);
  EXPECT_EQ(values_of("transformer_nguyen_joty")["encoder_normalize_before"], true);
  const json big = values_of("transformer_xu_big");
  for (const char* option : {"dropout", "attention_dropout", "activation_dropout"})
    EXPECT_EQ(big[option], 0.3) << option;
}

TEST(TransformerPresets, SetEverySwitchWhateverTheValuesBefore) {
  for (const Preset& preset : transformer_presets()) {
    nn::TransformerOptions changed;
    nn::use_neutron_conventions(changed);
    changed.set_sizes(8, 8, 2, 1);
    changed.set_dropout(0.9, 0.9, 0.9);
    changed.max_source_positions = changed.max_target_positions = 7;
    preset.apply(changed);
    OptionTable table;
    changed.describe(table);
    EXPECT_EQ(to_json(table), values_of(preset.name)) << preset.name;
  }
}

}  // namespace
}  // namespace phraseq::transformer
