// Transformers of OpenNMT-py, translated by phraseq: the lines must equal those of onmt_translate
// (tests/golden/opennmt/generate.py).

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

const std::string kOpenNmtFolder = PHRASEQ_SOURCE_FOLDER "/tests/golden/opennmt/";

class OpenNmtParity : public ::testing::TestWithParam<std::string> {
 protected:
  void import(const std::string& model, const std::string& checkpoint) {
    const auto imported = space_.run({"import", model, checkpoint, "-s", "xx", "-t", "yy"});
    ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  }

  void expect_lines_of_opennmt(const std::string& checkpoint) {
    const auto result = space_.run({"generate",
                                    "--path",
                                    checkpoint,
                                    "--decoder",
                                    "greedy",
                                    "--input",
                                    kOpenNmtFolder + "source.txt",
                                    "--max-len-a",
                                    "0",
                                    "--max-len-b",
                                    "20"});
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
    EXPECT_EQ(result.output, space_.read(kOpenNmtFolder + GetParam() + ".greedy.txt"));
  }

  end_to_end::Workspace space_;
};

TEST_P(OpenNmtParity, OfGreedySearch) {
  import(kOpenNmtFolder + GetParam() + ".pt", "m.safetensors");
  expect_lines_of_opennmt("m.safetensors");
}

TEST_P(OpenNmtParity, IsKeptThroughCTranslate2) {
  import(kOpenNmtFolder + GetParam() + ".pt", "m.safetensors");
  const auto exported =
      space_.run({"export", "--format", "ctranslate2", "m.safetensors", "ctranslate2"});
  ASSERT_EQ(exported.exit_code, kExitOk) << exported.errors;
  import("ctranslate2", "back.safetensors");
  expect_lines_of_opennmt("back.safetensors");
}

INSTANTIATE_TEST_SUITE_P(OfUntiedAndTied,
                         OpenNmtParity,
                         ::testing::Values("plain", "tied"),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace phraseq
