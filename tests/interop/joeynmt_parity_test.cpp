// Transformers of JoeyNMT, translated by phraseq: the lines must equal those of JoeyNMT
// (tests/golden/joeynmt/generate.py).

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

const std::string kJoeyFolder = PHRASEQ_SOURCE_FOLDER "/tests/golden/joeynmt/";

class JoeyParity : public ::testing::TestWithParam<const char*> {
 protected:
  end_to_end::Workspace space_;
};

TEST_P(JoeyParity, OfGreedySearch) {
  const std::string folder = kJoeyFolder + GetParam() + "/";
  const auto imported = space_.run({"import", folder, "m.safetensors"});
  ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  const auto result = space_.run({"generate",
                                  "--path",
                                  "m.safetensors",
                                  "--input",
                                  folder + "source.txt",
                                  "--decoder",
                                  "greedy",
                                  "--max-len-b",
                                  "20",
                                  "--min-len",
                                  "0"});
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_EQ(result.output, space_.read(folder + "greedy.txt"));
}

INSTANTIATE_TEST_SUITE_P(OfPreNormAndPostNorm,
                         JoeyParity,
                         ::testing::Values("pre", "post"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace phraseq
