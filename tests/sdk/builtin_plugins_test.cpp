// Every plugin that comes with phraseq must pass its own checks.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sdk/shell.h"

namespace phraseq::sdk {
namespace {

namespace fs = std::filesystem;

/// Options that a plugin requires.
std::string required_options(const fs::path& file) {
  return file.stem() == "libphraseq-tri_stage" ? " --set decay-steps=10" : "";
}

TEST(BuiltInPlugins, PassPluginsCheck) {
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(PHRASEQ_BUILD_FOLDER "/lib/phraseq")) {
    if (entry.path().extension() != ".so")
      continue;
    const Outcome outcome = shell(PHRASEQ_BUILD_FOLDER "/bin/phraseq plugins check " +
                                  entry.path().string() + required_options(entry.path()));
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    ++checked;
  }
  EXPECT_GT(checked, 15);
}

TEST(PluginsCheck, RunsTheSuiteOnEveryPresetAndTakesOptions) {
  const std::string check = PHRASEQ_BUILD_FOLDER "/bin/phraseq plugins check " PHRASEQ_BUILD_FOLDER
                                                 "/lib/phraseq/libphraseq-transformer.so";
  const Outcome outcome = shell(check + " --set encoder-layers=1,activation-fn=gelu");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              ::testing::AllOf(::testing::HasSubstr("architecture transformer_xu_base\n"),
                               ::testing::HasSubstr("gradients equal finite differences ....")));
  const Outcome rejected = shell(check + " --set encoder-layer=1");
  EXPECT_EQ(rejected.code, 2);
  EXPECT_THAT(rejected.text, ::testing::HasSubstr("did you mean 'encoder-layers'"));
}

}  // namespace
}  // namespace phraseq::sdk
