#include "core/convert/option_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/convert/hf/hf_config.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Expects the error for options that are valid except for this one.
void expect_refused(const char* name, const json& value, const std::string& message) {
  json options = {{"encoder_embed_dim", 8}, {"encoder_attention_heads", 2}, {"encoder_layers", 1}};
  options[name] = value;
  EXPECT_THAT([&] { check_option_ranges(options, "model.pt"); },
              ThrowsMessage<FormatError>(HasSubstr("model.pt: " + message)))
      << name;
}

TEST(OptionRanges, RefuseWhatNoArchitectureAccepts) {
  expect_refused("encoder_layers", 1000000000, "encoder_layers = 1000000000, expected a number");
  expect_refused("dropout", 2.0, "dropout = 2.0, expected a number from 0 to 0.99");
  expect_refused("dropout", nullptr, "dropout = null");
  expect_refused("norm_eps", 7, "norm_eps = 7");
  expect_refused("max_source_positions", 0, "max_source_positions = 0");
  expect_refused("encoder_attention_heads", 0, "encoder_attention_heads = 0");
  expect_refused("encoder_attention_heads", 3, "encoder_embed_dim = 8 is not divisible by");
}

TEST(OptionRanges, NeedAWidthForSinusoids) {
  json options = {{"decoder_embed_dim", 15}, {"decoder_attention_heads", 3}, {"pos", "marian"}};
  EXPECT_THAT([&] { check_option_ranges(options, "model"); },
              ThrowsMessage<FormatError>(HasSubstr("decoder_embed_dim = 15, but")));
  options["pos"] = "learned";
  check_option_ranges(options, "model");
}

TEST(OptionRanges, ReducePositionsThatAreNotLearned) {
  json options = {{"pos", "fairseq"}, {"max_source_positions", int64_t{1} << 40}};
  check_option_ranges(options, "model.pt");
  EXPECT_EQ(options.at("max_source_positions"), int64_t{1} << 24);
  options["pos"] = "learned";
  options["max_source_positions"] = int64_t{1} << 40;
  EXPECT_THROW(check_option_ranges(options, "model.pt"), FormatError);
}

TEST(GenerationSettings, HaveTheSpecialTokensOfTheModel) {
  const json config = {{"eos_token_id", 2}, {"decoder_start_token_id", 7}};
  const json same = {{"eos_token_id", {2}}, {"decoder_start_token_id", 7}, {"pad_token_id", 1}};
  json completed = config;
  completed["pad_token_id"] = 1;
  EXPECT_EQ(with_generation_settings(config, same, "g.json"), completed);
  EXPECT_THAT(
      [&] {
        with_generation_settings(config, {{"decoder_start_token_id", 0}}, "g.json");
      },
      ThrowsMessage<FormatError>(AllOf(HasSubstr("g.json"), HasSubstr("it is 7 in config.json"))));
}

}  // namespace
}  // namespace phraseq
