// M2M-100 and NLLB models trained with transformers and translated by phraseq: the lines must equal
// those of transformers (tests/golden/hf_m2m100/generate.py).

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kModels = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_m2m100/";

class M2m100Parity : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto imported = space_.run({"import", kModels + GetParam(), "m.safetensors"});
    ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  }

  static std::string code(const std::string& language) {
    const std::map<std::string, std::string> flores = {
        {"en", "eng_Latn"}, {"de", "deu_Latn"}, {"fr", "fra_Latn"}};
    return GetParam() == std::string("nllb") ? flores.at(language) : language;
  }

  /// Compares lines with a column of a golden file.
  void expect_lines(const std::string& pair, size_t column, const end_to_end::Arguments& search) {
    const json rows = json::parse(space_.read(kModels + GetParam() + "/" + pair + ".json"));
    ASSERT_GT(rows.size(), 10U) << "too few lines end before the limit";
    std::string sources, expected;
    for (const json& row : rows) {
      sources += row[0].get<std::string>() + "\n";
      expected += row[column].get<std::string>() + "\n";
    }
    end_to_end::Arguments arguments = {"generate",
                                       "--path",
                                       "m.safetensors",
                                       "--max-len-a",
                                       "0",
                                       "--max-len-b",
                                       "60",
                                       "-s",
                                       code(pair.substr(0, 2)),
                                       "-t",
                                       code(pair.substr(3))};
    arguments.insert(arguments.end(), search.begin(), search.end());
    const auto result = space_.run(arguments, sources);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_EQ(result.output, expected) << pair;
  }

  end_to_end::Workspace space_;
};

TEST_P(M2m100Parity, OfGreedySearchInEveryDirection) {
  for (const char* pair : {"en-de", "en-fr", "de-fr"})
    expect_lines(pair, 1, {"--decoder", "greedy"});
}

TEST_P(M2m100Parity, OfABeamOfFourInEveryDirection) {
  for (const char* pair : {"en-de", "en-fr", "de-fr"})
    expect_lines(pair, 2, {"--beam", "4", "--unnormalized"});
}

TEST_P(M2m100Parity, NeedsADirectionThatTheModelKnows) {
  const auto none = space_.run({"generate", "--path", "m.safetensors"}, "ba\n");
  EXPECT_EQ(none.exit_code, kExitUsage);
  EXPECT_THAT(none.errors, HasSubstr("translates in several directions: between "));
  const auto unknown =
      space_.run({"generate", "--path", "m.safetensors", "-s", "tlh", "-t", code("de")}, "ba\n");
  EXPECT_THAT(unknown.errors, HasSubstr("'tlh' is not a language of the model"));
}

INSTANTIATE_TEST_SUITE_P(Models, M2m100Parity, ::testing::Values("m2m100", "nllb"));

}  // namespace
}  // namespace phraseq
