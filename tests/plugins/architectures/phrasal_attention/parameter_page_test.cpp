// Compares docs/parameters/phrasal_attention.md with the models that the code builds.

#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/options/enum_name.h"
#include "plugins/architectures/phrasal_attention/model.h"
#include "plugins/architectures/phrasal_attention/phrase_attention.h"
#include "plugins/architectures/phrasal_attention/presets.h"
#include "tests/support/architecture_checks.h"
#include "tests/support/parameter_rows.h"

namespace phraseq::phrasal {
namespace {

using testing_support::parameter_rows;

/// The numbers for a shape such as "[4·d, d]".
std::vector<int64_t> shape_from(const std::string& text,
                                const std::map<std::string, int64_t>& symbols) {
  std::vector<int64_t> shape;
  std::istringstream sizes(text.substr(1, text.size() - 2));
  for (std::string size; std::getline(sizes, size, ',');) {
    size = size.substr(size.find_first_not_of(' '));
    const size_t dot = size.find("·");
    const std::string first = size.substr(0, dot);
    int64_t value = symbols.contains(first) ? symbols.at(first) : std::stoll(first);
    if (dot != std::string::npos)
      value *= symbols.at(size.substr(dot + std::string("·").size()));
    shape.push_back(value);
  }
  return shape;
}

/// The shapes on the page for a parameter.
std::vector<std::vector<int64_t>> shapes_on_page(const std::string& parameter,
                                                 const std::map<std::string, int64_t>& symbols) {
  std::vector<std::vector<int64_t>> shapes;
  for (const auto& row : parameter_rows("phrasal_attention")) {
    if (row[0] == parameter)
      shapes.push_back(shape_from(row[1], symbols));
  }
  return shapes;
}

/// "v_proj_3.weight" → 3; 1 for names without a number, and for `phrase_q_proj_2`.
int64_t length_in(const std::string& name) {
  const size_t at = name.find("_proj_");
  return at == std::string::npos || name.starts_with("phrase") ? 1 : name[at + 6] - '0';
}

struct PageVariant {
  const char *type, *method, *ngrams, *out;
  bool biases = false;
};

class ParameterPageOf : public ::testing::TestWithParam<PageVariant> {};

TEST_P(ParameterPageOf, HasEveryParameterOfAttentionWithItsShape) {
  PhrasalAttentionOptions options;
  options.pa_type = enum_value(kPhraseTypeNames, GetParam().type).value();
  options.pa_method = enum_value(kPhraseMethodNames, GetParam().method).value();
  options.pa_ngrams = GetParam().ngrams;
  options.pa_out = enum_value(kConvolutionPlaceNames, GetParam().out).value();
  options.pa_conv_bias = GetParam().biases;
  options.encoder_embed_dim = 10;
  options.decoder_embed_dim = 18;
  options.encoder_attention_heads = 2;
  options.decoder_attention_heads = 6;
  PhraseCrossAttention module(PhraseOptions::of(options, Place::kCross));
  const std::vector<int64_t> split = options.ngrams_for(Stack::kDecoder);
  for (const auto& entry : module.named_parameters()) {
    std::string name = entry.key();
    const int64_t n = length_in(name);
    const bool homogeneous = options.pa_type == PhraseType::kHomogeneous;
    const int64_t width = homogeneous ? 3 * split[static_cast<size_t>(n - 1)] : 18;
    if (n > 1)
      name.replace(name.find("_proj_") + 6, 1, "n");
    EXPECT_THAT(shapes_on_page(name, {{"d", 18}, {"d_kv", 10}, {"w", width}, {"n", n}, {"K", 2}}),
                testing::Contains(entry.value().sizes().vec()))
        << entry.key();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants,
    ParameterPageOf,
    testing::Values(PageVariant{"homogeneous", "convkv", "231", "replace-o"},
                    PageVariant{"homogeneous", "queryk", "231", "replace-o"},
                    PageVariant{"heterogeneous", "convkv", "123", "replace-o"},
                    PageVariant{"heterogeneous", "queryk", "123", "replace-o"},
                    PageVariant{"interleaved", "convkv", "12", "replace-o"},
                    PageVariant{"interleaved", "queryk", "12", "replace-o"},
                    PageVariant{"interleaved", "queryk", "12", "after-o"},
                    PageVariant{"homogeneous", "convkv", "231", "replace-o", true},
                    PageVariant{"heterogeneous", "queryk", "123", "replace-o", true},
                    PageVariant{"interleaved", "convkv", "12", "replace-o", true},
                    PageVariant{"interleaved", "queryk", "12", "after-o", true}));

/// The names of the biases.
std::vector<std::string> biases_of(const PhrasalAttentionOptions& options, Place place) {
  std::vector<std::string> names;
  for (const auto& entry :
       PhraseCrossAttention(PhraseOptions::of(options, place)).named_parameters()) {
    if (entry.value().dim() == 1)
      names.push_back(entry.key());
  }
  return names;
}

TEST(ParameterPage, HasTheBiasesOfEveryConvolutionAndOfNoLinearMap) {
  PhrasalAttentionOptions options;
  options.pa_conv_bias = true;
  for (const Place place : {Place::kEncoderSelf, Place::kDecoderSelf, Place::kCross}) {
    EXPECT_THAT(
        biases_of(options, place),
        testing::UnorderedElementsAre(
            "v_proj_2.bias", "phrase_q_proj.bias", "phrase_q_proj_2.bias", "interleave_proj.bias"));
  }
  options.pa_method = PhraseMethod::kConvKv;
  EXPECT_THAT(biases_of(options, Place::kCross),
              testing::UnorderedElementsAre(
                  "k_proj_2.bias", "v_proj_2.bias", "phrase_q_proj.bias", "interleave_proj.bias"));
  options.pa_conv_bias = false;
  EXPECT_THAT(biases_of(options, Place::kCross), testing::IsEmpty());
}

/// "44,103,680" → 44103680.
int64_t number_from(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

TEST(ParameterPage, CountsTheParametersOfThePapersModels) {
  std::map<std::string, PhrasalAttentionOptions> presets;
  for (const Preset& preset : phrasal_attention_presets()) preset.apply(presets[preset.name]);
  int64_t counted = 0;
  for (const auto& row : parameter_rows("phrasal_attention")) {
    const std::string name = row[0].substr(0, row[0].find(','));
    if (!name.starts_with("phrasal_"))
      continue;
    ArchitectureSetup setup;
    setup.joined_dictionary = true;
    setup.source_vocabulary = setup.target_vocabulary = 10;
    const PhrasalAttentionModel model(presets.at(name), setup);
    const int64_t body = testing_support::count_parameters(model) - 10 * 512;
    EXPECT_EQ(number_from(row[2]), body) << name;
    EXPECT_EQ(number_from(row[3]), body + 37000 * 512) << name;
    ++counted;
  }
  EXPECT_EQ(counted, 9);
}

}  // namespace
}  // namespace phraseq::phrasal
