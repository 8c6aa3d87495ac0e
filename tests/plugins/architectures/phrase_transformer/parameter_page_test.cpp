// Compares docs/parameters/phrase_transformer.md with the models.

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "plugins/architectures/phrase_transformer/phrase_transformer.h"
#include "plugins/architectures/phrase_transformer/presets.h"
#include "tests/support/architecture_checks.h"

namespace phraseq::phrase_transformer {
namespace {

using testing_support::count_parameters;

/// The cells of the page's rows that begin with `start`, without backquotes and commas.
std::vector<std::vector<std::string>> rows_with(const std::string& start) {
  std::ifstream page(PHRASEQ_SOURCE_FOLDER "/docs/parameters/phrase_transformer.md");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `" + start))
      continue;
    std::vector<std::string> cells;
    std::istringstream rest(line.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) {
      std::erase_if(cell, [](char c) { return c == '`' || c == ' '; });
      cells.push_back(cell);
    }
    rows.push_back(cells);
  }
  return rows;
}

int64_t number_from(std::string text) {
  std::erase(text, ',');
  return std::stoll(text);
}

ArchitectureSetup tied_setup(int64_t symbols) { return {symbols, symbols, true, {}}; }

TEST(PhraseTransformerPage, ListsTheLstmsParameters) {
  PhraseTransformerOptions options;
  options.set_sizes(6, 7, 2, 1);
  options.pt_grams = {2};
  std::map<std::string, std::string> made, described;
  for (const auto& entry : PhraseTransformer(options, tied_setup(5)).named_parameters()) {
    if (entry.key().find("ngram") == std::string::npos)
      continue;
    made[entry.key()] = entry.value().dim() == 1 ? "[4w]" : "[4w,w]";
    EXPECT_EQ(entry.value().sizes()[0], 4 * 6);
  }
  for (const auto& row : rows_with("encoder.")) {
    std::string name = row[0];
    name.replace(name.find(".N."), 3, ".0.");
    name.replace(name.find(".M."), 3, ".2.");
    described[name] = row[1];
  }
  EXPECT_EQ(described, made);
}

/// "phrase_transformer_3,_4,_equations" → all three names.
std::vector<std::string> names_in(const std::string& cell) {
  std::vector<std::string> names;
  std::istringstream parts(cell);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::string family =
        names.empty() ? "" : names[0].substr(0, names[0].find_last_not_of("_234") + 1);
    names.push_back(part.starts_with("_tiny") ? "phrase_transformer" + part : family + part);
  }
  return names;
}

TEST(PhraseTransformerPage, CountsTheParametersOfEveryPreset) {
  std::map<std::string, PhraseTransformerOptions> presets;
  for (const Preset& preset : phrase_transformer_presets()) preset.apply(presets[preset.name]);
  std::set<std::string> counted;
  for (const auto& row : rows_with("phrase_transformer_")) {
    for (const std::string& name : names_in(row[0])) {
      ASSERT_TRUE(presets.contains(name)) << name;
      const PhraseTransformerOptions& options = presets[name];
      const int64_t all = count_parameters(PhraseTransformer(options, tied_setup(5)));
      const int64_t base = count_parameters(nn::TransformerModel(options, tied_setup(5)));
      EXPECT_EQ(number_from(row[2]), all - base) << name;
      EXPECT_EQ(number_from(row[3]), all - 5 * options.encoder_embed_dim) << name;
      counted.insert(name);
    }
  }
  EXPECT_EQ(counted.size(), presets.size());
}

}  // namespace
}  // namespace phraseq::phrase_transformer
