// This version must read the files of version 0.1.0, which tests/golden/version_0_1_0/make.sh wrote
// with that version: docs/guide/stability.md.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/workspace.h"

namespace phraseq::packages {
namespace {

namespace fs = std::filesystem;
using end_to_end::Arguments;
using end_to_end::CommandResult;
using end_to_end::Workspace;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A copy of the folder of that version, in which commands of this version run.
class FilesOfVersion010 : public ::testing::Test {
 protected:
  FilesOfVersion010() {
    fs::copy(PHRASEQ_SOURCE_FOLDER "/tests/golden/version_0_1_0",
             workspace_.path(""),
             fs::copy_options::recursive);
  }

  /// Runs the command line of make.sh with another limit and additional options.
  CommandResult train(const Arguments& more) {
    Arguments arguments = {"train",
                           "data-bin",
                           "--arch=transformer_tiny",
                           "--max-update=160",
                           "--max-tokens=400",
                           "--seed=1",
                           "--threads=1",
                           "--encoder-embed-dim=16",
                           "--encoder-ffn-embed-dim=32",
                           "--encoder-attention-heads=2",
                           "--encoder-layers=1",
                           "--decoder-embed-dim=16",
                           "--decoder-ffn-embed-dim=32",
                           "--decoder-attention-heads=2",
                           "--decoder-layers=1",
                           "--dropout=0",
                           "--optimizer=adam",
                           "--lr=0.01",
                           "--lr-scheduler=inverse_sqrt",
                           "--warmup-updates=40",
                           "--no-epoch-checkpoints",
                           // options that the preset sets in this version, but not in 0.1.0
                           "--criterion=cross_entropy",
                           "--adam-betas=0.9,0.999",
                           "--clip-norm=0",
                           "--precision=fp32",
                           "--no-share-decoder-input-output-embed"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return workspace_.run(arguments);
  }

  Workspace workspace_;
};

TEST_F(FilesOfVersion010, AreTranslatedWithAsThatVersionDid) {
  const CommandResult result =
      workspace_.run({"generate", "--path", "checkpoints/checkpoint_last", "--beam", "3", "--cpu"},
                     workspace_.read("test.en"));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, workspace_.read("test.hyp"));
}

TEST_F(FilesOfVersion010, NameTheirVersion) {
  const CommandResult result = workspace_.run({"inspect", "checkpoints/checkpoint_last"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("checkpoint format 1, written by phraseq 0.1.0"));
}

// The preset had other values then, so the run must not continue with an unnoticed change.
TEST_F(FilesOfVersion010, ContinueTrainingWithTheValuesOfThatVersion) {
  const CommandResult refused = train({"--save-dir=checkpoints"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.errors, HasSubstr("norm-eps: was 1e-06, now 1e-05"));

  const CommandResult trained = train({"--save-dir=checkpoints",
                                       "--norm-eps=1e-6",
                                       "--no-encoder-normalize-before",
                                       "--no-decoder-normalize-before"});
  EXPECT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_THAT(trained.errors, AllOf(HasSubstr("at update 150"), HasSubstr("update 160")));
  const CommandResult result =
      workspace_.run({"generate", "--path", "checkpoints/checkpoint_last", "--beam", "3", "--cpu"},
                     workspace_.read("test.en"));
  EXPECT_EQ(result.output, workspace_.read("test.hyp"));
}

TEST_F(FilesOfVersion010, AreADataFolderToTrainOn) {
  const CommandResult trained = train({"--save-dir=new", "--max-update=5"});
  EXPECT_EQ(trained.exit_code, 0) << trained.errors;
  EXPECT_TRUE(workspace_.exists("new/checkpoint_last"));
  const CommandResult validated = workspace_.run(
      {"validate", "data-bin", "--path", "checkpoints/checkpoint_last", "--cpu", "--format=json"});
  EXPECT_EQ(validated.exit_code, 0) << validated.errors;
  EXPECT_THAT(validated.output, HasSubstr("nll"));
}

}  // namespace
}  // namespace phraseq::packages
