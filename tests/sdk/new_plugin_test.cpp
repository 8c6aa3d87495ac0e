// phraseq new-plugin, without building the plugins that it writes.

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sdk/shell.h"

namespace phraseq::sdk {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kNewPlugin = PHRASEQ_BUILD_FOLDER "/bin/phraseq new-plugin ";

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    files[entry.path().filename().string()] = content_of(entry.path());
  return files;
}

TEST(NewPlugin, WritesTheExampleForAnArchitecture) {
  const GrowingFolder folder;
  const Outcome outcome =
      shell("cd " + folder.path() + " && " + kNewPlugin + "plugin_template --kind architecture");
  ASSERT_EQ(outcome.code, 0) << outcome.text;
  const auto written = files_of(folder.path("plugin_template"));
  const auto example = files_of(PHRASEQ_SOURCE_FOLDER "/examples/plugin_template");
  EXPECT_EQ(written.size(), example.size());
  for (const auto& [name, text] : example) {
    ASSERT_TRUE(written.contains(name)) << name;
    EXPECT_TRUE(written.at(name) == text) << name << " differs: write the example again";
  }
}

TEST(NewPlugin, NeedsAtMostThirtyLinesInAdditionToTheMathematics) {
  int lines = 0;
  for (const char* file : {"CMakeLists.txt", "register.cpp"}) {
    const std::string text =
        content_of(fs::path(PHRASEQ_SOURCE_FOLDER "/examples/plugin_template") / file);
    for (size_t at = 0; at < text.size(); ++at)
      lines += text[at] == '\n' && at > 0 && text[at - 1] != '\n' ? 1 : 0;
  }
  EXPECT_GT(lines, 10);
  EXPECT_LE(lines, 30);
}

TEST(NewPlugin, SaysOnceThatTheNameIsMissing) {
  const Outcome outcome = shell(kNewPlugin + "--kind metric");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("NAME is missing"));
  EXPECT_THAT(outcome.text, ::testing::Not(HasSubstr("not a valid name")));
}

TEST(NewPlugin, NeedsANameThatAComponentMayHave) {
  const Outcome outcome = shell(kNewPlugin + "my-model --kind metric");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text,
              HasSubstr("'my-model' is not a valid name for a plugin and its component"));
}

TEST(NewPlugin, LeavesNoMarkUnfilled) {
  const GrowingFolder folder;
  for (const char* kind : {"architecture",
                           "task",
                           "criterion",
                           "decoder",
                           "data_loader",
                           "optimizer",
                           "lr_scheduler",
                           "tokenizer",
                           "metric"}) {
    const std::string target = folder.path(kind);
    const Outcome outcome = shell(kNewPlugin + "two_words --kind " + kind + " --output " + target);
    ASSERT_EQ(outcome.code, 0) << outcome.text;
    const auto files = files_of(target);
    EXPECT_EQ(files.size(), 5u) << kind;
    for (const auto& [name, text] : files) EXPECT_EQ(text.find('@'), std::string::npos) << name;
    EXPECT_THAT(files.at("register.cpp"), HasSubstr("PHRASEQ_PLUGIN(\"two_words\""));
  }
}

TEST(NewPlugin, TakesAKindWithADash) {
  const GrowingFolder folder;
  for (const char* kind : {"data-loader", "data_loader"}) {
    const Outcome outcome =
        shell(kNewPlugin + "mine --kind " + kind + " --output " + folder.path(kind));
    ASSERT_EQ(outcome.code, 0) << outcome.text;
  }
  EXPECT_EQ(files_of(folder.path("data-loader")), files_of(folder.path("data_loader")));
}

TEST(NewPlugin, RejectsInvalidNames) {
  for (const char* name :
       {"../evil", "/abs", "Upper", "a-b", "9lives", "a.so", "core", "register", "''"}) {
    const Outcome outcome = shell("cd /nowhere 2>/dev/null; " + kNewPlugin + name + " --kind task");
    EXPECT_EQ(outcome.code, 2) << name << ": " << outcome.text;
  }
}

TEST(NewPlugin, RejectsNamesThatPluginsAndComponentsHave) {
  const GrowingFolder folder;
  const auto rejection = [&](const std::string& arguments) {
    const Outcome outcome = shell("cd " + folder.path() + " && " + kNewPlugin + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.text;
    return outcome.text;
  };
  EXPECT_THAT(rejection("transformer --kind metric"),
              AllOf(HasSubstr("'transformer' is already the name of the plugin "),
                    HasSubstr("libphraseq-transformer.so"),
                    HasSubstr("for example my_transformer")));
  EXPECT_THAT(rejection("multi_bleu --kind metric"),
              HasSubstr("'multi_bleu' is already the name of a component of the kind metric"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(shell("cd " + folder.path() + " && " + kNewPlugin + "multi_bleu --kind task").code, 0);
}

TEST(NewPlugin, TouchesNothingThatIsThere) {
  const GrowingFolder folder;
  folder.write("mine/notes.txt", "precious");
  const Outcome outcome =
      shell("cd " + folder.path() + " && " + kNewPlugin + "mine --kind criterion");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("mine: already exists"), HasSubstr("--output")));
  EXPECT_EQ(files_of(folder.path("mine")).size(), 1u);
}

TEST(NewPlugin, LeavesNothingHalfWritten) {
  const GrowingFolder folder;
  const Outcome outcome = shell("cd " + folder.path() + " && ulimit -f 1 && " + kNewPlugin +
                                "mine --kind architecture");
  EXPECT_EQ(outcome.code, 6) << outcome.text;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace phraseq::sdk
