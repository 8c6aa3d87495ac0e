// Compares docs/parameters/rnnsearch.md and phrasenet.md with the models.

#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "plugins/architectures/phrasenet/model.h"

namespace phraseq::phrasenet {
namespace {

constexpr int64_t kSource = 41, kTarget = 43;

/// Reads the shapes, as text, in the rows of a page for `decoder.…` and `encoder.…`.
void read_page(const std::string& name, std::map<std::string, std::string>& shapes) {
  std::ifstream page(PHRASEQ_SOURCE_FOLDER "/docs/parameters/" + name + ".md");
  for (std::string line; std::getline(page, line);) {
    std::istringstream cells(line);
    std::string empty, parameter, shape;
    std::getline(cells, empty, '`');
    std::getline(cells, parameter, '`');
    std::getline(cells, empty, '|');
    std::getline(cells, shape, '|');
    if (line.starts_with("| `encoder.") || line.starts_with("| `decoder."))
      shapes[parameter] = shape;
  }
}

/// The sizes as written on the pages, with letters for numbers that have only one meaning here.
std::string written(const at::Tensor& parameter, const PhraseNetOptions& o, int64_t slots) {
  const std::map<int64_t, std::string> letters = {{kSource, "V_source"},
                                                  {kTarget, "V_target"},
                                                  {o.embed_dim, "E"},
                                                  {o.hidden, "H"},
                                                  {2 * o.hidden, "2H"},
                                                  {3 * o.hidden, "3H"},
                                                  {o.coverage_dim, "D"},
                                                  {3 * o.coverage_dim, "3D"},
                                                  {o.gate_hidden, "G"},
                                                  {slots, "P"},
                                                  {1, "1"}};
  std::string text;
  for (const int64_t size : parameter.sizes())
    text += (text.empty() ? "[" : ", ") + letters.at(size);
  return text + "]";
}

class ParameterPages : public ::testing::TestWithParam<const char*> {};

TEST_P(ParameterPages, DescribeEveryParameter) {
  std::map<std::string, std::string> described;
  for (const char* page : {"rnnsearch", "phrasenet"}) read_page(page, described);
  PhraseNetOptions options;
  options.embed_dim = 7;
  options.hidden = 11;
  options.coverage_dim = 5;
  options.gate_hidden = 13;
  const std::string what = GetParam();
  if (what == "softmax")
    options.pn_variant = Variant::kSoftmax;
  if (what == "cgru")
    options.decoder_cell = nn::DecoderCell::kConditionalGru;
  if (what == "fertility") {
    options.coverage = nn::CoverageModel::kLinguistic;
    options.fertility = 2;
  }
  const int64_t slots = 3;
  const PhraseNetModel model(options, {kSource, kTarget, false, {{"phrase_slots", slots}}});
  for (const auto& entry : model.named_parameters()) {
    if (what == "fertility" && entry.key() == "decoder.attention.coverage.weight")
      continue;  // D is 1 there, as the page says
    ASSERT_TRUE(described.contains(entry.key())) << entry.key();
    EXPECT_NE(described[entry.key()].find(written(entry.value(), options, slots)),
              std::string::npos)
        << entry.key() << ": " << entry.value().sizes() << " and not " << described[entry.key()];
  }
}

INSTANTIATE_TEST_SUITE_P(Options,
                         ParameterPages,
                         testing::Values("gate", "softmax", "cgru", "fertility"));

}  // namespace
}  // namespace phraseq::phrasenet
