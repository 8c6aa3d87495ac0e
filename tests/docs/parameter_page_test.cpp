// Compares docs/parameters/*.md with the models that the code builds: names and shapes of the
// Transformer, and the counts of presets.

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/nn/architecture.h"
#include "core/nn/transformer/transformer_model.h"
#include "core/plugin/loader.h"
#include "tests/support/parameter_rows.h"

namespace phraseq {
namespace {

using testing_support::parameter_rows;
using Shape = std::vector<int64_t>;

/// Sizes that are all different, so that no two symbols can stand for each other.
const std::map<std::string, int64_t> kSizes = {{"d_enc", 6},
                                               {"d_dec", 10},
                                               {"ffn_enc", 7},
                                               {"ffn_dec", 11},
                                               {"V_src", 13},
                                               {"V_tgt", 17},
                                               {"P_src + 2", 21},
                                               {"P_tgt + 2", 25}};

nn::TransformerOptions small_options() {
  nn::TransformerOptions options;
  options.encoder_embed_dim = kSizes.at("d_enc");
  options.decoder_embed_dim = kSizes.at("d_dec");
  options.encoder_ffn_embed_dim = kSizes.at("ffn_enc");
  options.decoder_ffn_embed_dim = kSizes.at("ffn_dec");
  options.encoder_attention_heads = 3;
  options.decoder_attention_heads = 5;
  options.encoder_layers = 1;
  options.decoder_layers = 2;
  options.max_source_positions = kSizes.at("P_src + 2") - 2;
  options.max_target_positions = kSizes.at("P_tgt + 2") - 2;
  return options;
}

/// "[V_src, d_enc]" in numbers.
Shape shape_from(const std::string& text) {
  Shape shape;
  std::istringstream symbols(text.substr(1, text.size() - 2));
  for (std::string symbol; std::getline(symbols, symbol, ',');) {
    shape.push_back(kSizes.at(symbol.substr(symbol.find_first_not_of(' '))));
  }
  return shape;
}

/// Parameter → (shape, condition) from the tables of encoder and decoder.
std::map<std::string, std::pair<Shape, std::string>> described_parameters() {
  std::map<std::string, std::pair<Shape, std::string>> parameters;
  for (const auto& row : parameter_rows("transformer")) {
    if (row[0].starts_with("encoder.") || row[0].starts_with("decoder."))
      parameters[row[0]] = {shape_from(row[1]), row[2]};
  }
  return parameters;
}

/// "decoder.layers.1.fc1.weight" → "decoder.layers.N.fc1.weight".
std::string with_layer_n(std::string name) {
  const size_t at = name.find("layers.");
  if (at != std::string::npos)
    name[at + 7] = 'N';
  return name;
}

std::map<std::string, Shape> parameters_of(const nn::TransformerOptions& options) {
  ArchitectureSetup setup;
  setup.source_vocabulary = kSizes.at("V_src");
  setup.target_vocabulary = kSizes.at("V_tgt");
  setup.joined_dictionary = options.share_all_embeddings;
  std::map<std::string, Shape> shapes;
  const auto model = std::make_shared<nn::TransformerModel>(options, setup);
  for (const auto& entry : model->named_parameters())
    shapes[with_layer_n(entry.key())] = entry.value().sizes().vec();
  return shapes;
}

/// Every parameter that `switches` allow, according to the page.
std::map<std::string, Shape> page_with(const std::set<std::string>& switches) {
  std::map<std::string, Shape> shapes;
  for (const auto& [name, described] : described_parameters()) {
    if (described.second == "always" || switches.contains(described.second))
      shapes[name] = described.first;
  }
  return shapes;
}

const std::string kNotAllShared = "without --share-all-embeddings";
const std::string kNotShared = "with neither kind of sharing";

TEST(ParameterPage, ListsTheDefaultModel) {
  EXPECT_EQ(parameters_of(small_options()),
            page_with({"--attn-bias", "--ffn-bias1", "--ffn-bias2", kNotAllShared, kNotShared}));
}

TEST(ParameterPage, ListsWhatEachSwitchAdds) {
  auto options = small_options();
  options.attn_bias = options.ffn_bias1 = options.ffn_bias2 = false;
  const std::set<std::string> plain = {kNotAllShared, kNotShared};
  EXPECT_EQ(parameters_of(options), page_with(plain));

  const auto expect_with = [&](const std::string& when, auto change) {
    auto changed = options;
    change(changed);
    auto switches = plain;
    switches.insert(when);
    EXPECT_EQ(parameters_of(changed), page_with(switches)) << when;
    EXPECT_GT(page_with(switches).size(), page_with(plain).size()) << when;
  };
  expect_with("--attn-bias", [](auto& o) { o.attn_bias = true; });
  expect_with("--ffn-bias1", [](auto& o) { o.ffn_bias1 = true; });
  expect_with("--ffn-bias2", [](auto& o) { o.ffn_bias2 = true; });
  expect_with("--out-bias", [](auto& o) { o.out_bias = true; });
  expect_with("--pos learned", [](auto& o) { o.pos = nn::PositionKind::kLearned; });
  expect_with("--embed-norm other than no",
              [](auto& o) { o.embed_norm = nn::EmbeddingNorm::kAfterDropout; });
  expect_with("--embed-norm other than no",
              [](auto& o) { o.embed_norm = nn::EmbeddingNorm::kBeforeDropout; });
  expect_with("--encoder-normalize-before", [](auto& o) { o.encoder_normalize_before = true; });
  expect_with("--decoder-normalize-before", [](auto& o) { o.decoder_normalize_before = true; });
}

TEST(ParameterPage, ListsWhatIsTied) {
  auto options = small_options();
  options.attn_bias = options.ffn_bias1 = options.ffn_bias2 = false;
  options.share_decoder_input_output_embed = true;
  EXPECT_EQ(parameters_of(options), page_with({kNotAllShared}));
}

TEST(ParameterPage, StoresWhatIsAllTiedUnderTheEncodersName) {
  auto options = small_options();
  options.decoder_embed_dim = options.encoder_embed_dim;
  options.decoder_attention_heads = options.encoder_attention_heads;
  options.share_all_embeddings = true;
  const auto parameters = parameters_of(options);
  EXPECT_EQ(parameters.at("encoder.embed_tokens.weight"), (Shape{13, 6}));
  EXPECT_FALSE(parameters.contains("decoder.embed_tokens.weight"));
  EXPECT_FALSE(parameters.contains("decoder.output_projection.weight"));
}

/// "44,138,496" → 44138496.
int64_t number_from(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

int64_t parameter_count(const Selection& selection, int64_t symbols) {
  ArchitectureSetup setup;
  setup.source_vocabulary = setup.target_vocabulary = symbols;
  setup.joined_dictionary = true;
  int64_t count = 0;
  const auto model = create<Architecture>(selection, setup);
  for (const auto& entry : model->named_parameters()) count += entry.value().numel();
  return count;
}

class ParameterPageOf : public ::testing::TestWithParam<std::string> {};

TEST_P(ParameterPageOf, CountsTheParametersOfEveryPreset) {
  Registry registry;
  load_plugin_file(registry, PHRASEQ_BUILD_FOLDER "/lib/phraseq/libphraseq-" + GetParam() + ".so");
  std::set<std::string> counted;
  std::set<std::string> offered;
  for (const Preset& preset : registry.components().front()->presets) offered.insert(preset.name);
  for (const auto& row : parameter_rows(GetParam())) {
    if (!offered.contains(row[0]))
      continue;
    const Selection preset = registry.select(Architecture::kKind, row[0]);
    const int64_t at_10000 = parameter_count(preset, 10000);
    EXPECT_EQ(number_from(row[4]), at_10000) << row[0];
    EXPECT_EQ(number_from(row[5]), parameter_count(preset, 32000)) << row[0];
    // The parameters of the vocabulary are proportional to the number of symbols.
    const int64_t a_symbol = parameter_count(preset, 10001) - at_10000;
    EXPECT_EQ(number_from(row[3]), at_10000 - 10000 * a_symbol) << row[0];
    counted.insert(row[0]);
  }
  EXPECT_EQ(counted, offered);
}

INSTANTIATE_TEST_SUITE_P(Architectures,
                         ParameterPageOf,
                         testing::Values("transformer", "phrase_rep"),
                         [](const auto& architecture) { return architecture.param; });

}  // namespace
}  // namespace phraseq
