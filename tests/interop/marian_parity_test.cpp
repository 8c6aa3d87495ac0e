// A MarianMTModel trained with transformers and translated by phraseq: the lines must equal those
// of transformers (tests/golden/hf_marian/generate.py).

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

const std::string kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/hf_marian/";

class MarianParity : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto imported = space_.run({"import", kGolden, "m.safetensors"});
    ASSERT_EQ(imported.exit_code, kExitOk) << imported.errors;
  }

  std::string translate(const end_to_end::Arguments& search) {
    end_to_end::Arguments arguments = {"generate",
                                       "--path",
                                       "m.safetensors",
                                       "--input",
                                       kGolden + "source.txt",
                                       "--max-len-a",
                                       "0",
                                       "--max-len-b",
                                       "60"};
    arguments.insert(arguments.end(), search.begin(), search.end());
    const auto result = space_.run(arguments);
    EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
    return result.output;
  }

  std::string golden(const std::string& name) { return space_.read(kGolden + name); }

  end_to_end::Workspace space_;
};

TEST_F(MarianParity, OfGreedySearch) {
  EXPECT_EQ(translate({"--decoder", "greedy"}), golden("greedy.txt"));
}

TEST_F(MarianParity, OfABeamOfFour) { EXPECT_EQ(translate({"--beam", "4"}), golden("beam4.txt")); }

}  // namespace
}  // namespace phraseq
