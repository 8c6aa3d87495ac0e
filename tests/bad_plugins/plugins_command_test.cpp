// The programs phraseq and phraseq-plugins, run as a user runs them.

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bad_plugins/plugin_folder.h"
#include "tests/support/file_content.h"
#include "tests/support/shell.h"

namespace {

using phraseq::content_of;
using phraseq::testing::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Runs a shell command with the programs of this build first on the PATH.
Outcome shell(const std::string& command) {
  return phraseq::testing::shell("PATH=" PHRASEQ_BUILD_FOLDER "/bin:$PATH; " + command);
}

TEST(PluginsCommand, ListsNamesDescriptionsAndPresets) {
  const PluginFolder folder;
  folder.copy("good");
  const std::string command = "phraseq plugins list --kind toy --plugin-dir " + folder.path();
  EXPECT_EQ(shell(command).text, "toy  rectangle  A rectangle. (1 preset)\n");
  const Outcome outcome = shell(command + " --presets");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_EQ(outcome.text,
            "toy  rectangle       A rectangle. (1 preset)\n"
            "toy  rectangle_tall  Seven rows. (preset of rectangle)\n");
}

TEST(PluginsCommand, ExplainsFileVersionAndOptions) {
  const PluginFolder folder;
  const std::string file = folder.copy("good");
  const Outcome outcome = shell("phraseq plugins explain rectangle --plugin-dir " + folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("good 1.2.3, " + file), HasSubstr("--toy-height N")));
}

TEST(PluginsCommand, ListsTheOthersWhenOneIsRejected) {
  const PluginFolder folder;
  folder.copy("good");
  folder.copy("other_abi");
  const Outcome outcome = shell("phraseq plugins list --kind toy --plugin-dir " + folder.path());
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("toy  rectangle  A rectangle."),
                    HasSubstr("rejected: "),
                    HasSubstr("was built for another version of phraseq")));
}

TEST(PluginsCommand, ExplainsAComponentByItsPresetsName) {
  const PluginFolder folder;
  folder.copy("good");
  const Outcome outcome =
      shell("phraseq plugins explain rectangle_tall --plugin-dir " + folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("preset rectangle_tall of toy rectangle"),
                    HasSubstr("Seven rows."),
                    HasSubstr("--toy-height 7  (default 3)")));
}

TEST(PluginsCommand, GuessesWhatAnUnknownNameMeant) {
  const PluginFolder folder;
  folder.copy("good");
  const Outcome outcome = shell("phraseq plugins explain rectnagle --plugin-dir " + folder.path());
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("did you mean 'rectangle'"));
}

TEST(PluginsCommand, ChecksAGoodPlugin) {
  const PluginFolder folder;
  const Outcome outcome = shell("phraseq plugins check " + folder.copy("good"));
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("plugin good 1.2.3"),
                    HasSubstr("toy rectangle"),
                    HasSubstr("preset rectangle_tall")));
}

TEST(PluginsCommand, ChecksThatNoOtherPluginHasTheNames) {
  const PluginFolder folder, copy;
  folder.copy("good");
  const std::string second = folder.copy("good", "second");
  const Outcome taken = shell("phraseq plugins check " + second + " --plugin-dir " + folder.path());
  EXPECT_EQ(taken.code, 5) << taken.text;
  EXPECT_THAT(taken.text,
              AllOf(HasSubstr("toy 'rectangle' is registered twice: by "),
                    HasSubstr("libphraseq-good.so and by " + second)));
  const std::string installed = copy.copy("good");  // the plugin to be installed in the folder
  const Outcome again =
      shell("phraseq plugins check " + installed + " --plugin-dir " + folder.path());
  EXPECT_THAT(again.text, HasSubstr("registered twice"));
  std::filesystem::remove(second);
  EXPECT_EQ(shell("phraseq plugins check " + installed + " --plugin-dir " + folder.path()).code, 0);
}

TEST(PluginsCommand, SurvivesAPluginThatCrashesWhileItIsChecked) {
  const PluginFolder folder;
  const Outcome outcome = shell("phraseq plugins check " + folder.copy("crashes"));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("libphraseq-crashes.so: terminates the process that loads it"),
                    HasSubstr("Aborted")));
}

TEST(PluginsCommand, FindsADefaultOutOfItsRange) {
  const PluginFolder folder;
  const Outcome outcome = shell("phraseq plugins check " + folder.copy("bad_default"));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.text, HasSubstr("crooked: --share: 1.5 is out of range, expected 0 to 1"));
}

TEST(PluginsCommand, FindsAnOptionThatTheUsingCommandHasToo) {
  const PluginFolder folder;
  const Outcome outcome = shell("phraseq plugins check " + folder.copy("clashing"));
  EXPECT_EQ(outcome.code, 5);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("metric clashing: "), HasSubstr("--confidence is defined twice")));
}

TEST(PluginsCommand, RejectsNamesThatAnActionDoesNotTake) {
  const Outcome outcome = shell("phraseq plugins options transformer");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("options: unexpected 'transformer'"));
}

TEST(PluginsCommand, ReportsARejectionOnceWithExitFive) {
  const PluginFolder folder;
  const Outcome outcome = shell("phraseq plugins check " + folder.copy("no_manifest"));
  EXPECT_EQ(outcome.code, 5);
  const size_t first = outcome.text.find("phraseq plugins: error: ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(outcome.text.find("phraseq plugins: error: ", first + 1), std::string::npos);
}

TEST(PluginsCommand, LoadsNothingFromTheCurrentFolder) {
  const PluginFolder folder;
  folder.copy("good");
  const Outcome outcome = shell("cd " + folder.path() + " && phraseq plugins list --kind toy");
  EXPECT_THAT(outcome.text, Not(HasSubstr("rectangle")));
}

TEST(PluginsCommand, WritesAPageForEveryComponent) {
  const PluginFolder folder;
  folder.copy("good");
  const std::string pages = folder.path("pages");
  const Outcome outcome =
      shell("phraseq plugins options --output " + pages + " --plugin-dir " + folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_THAT(content_of(pages + "/toy-rectangle.md"),
              AllOf(HasSubstr("# toy `rectangle`"),
                    HasSubstr("| `--toy-height` | N, 1 to 100 | `3` | Rows. |"),
                    HasSubstr("| `rectangle_tall` | Seven rows. | toy-height 7 |"),
                    Not(HasSubstr(folder.path()))));
  EXPECT_THAT(content_of(pages + "/phraseq-plugins.md"), HasSubstr("# phraseq plugins"));
  EXPECT_THAT(content_of(pages + "/README.md"), HasSubstr("[toy `rectangle`](toy-rectangle.md)"));
}

TEST(FrontProgram, ListsCommandsAndGuessesMisspeltOnes) {
  EXPECT_THAT(shell("phraseq --help").text,
              HasSubstr("plugins         list, describe and check plugins"));
  const Outcome outcome = shell("phraseq plugin list");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("'plugin' is not a command"), HasSubstr("'plugins'")));
  for (const char* name : {"translate", "fairseq-generate"}) {
    EXPECT_THAT(shell(std::string("phraseq ") + name).text,
                HasSubstr("is not a command; it is called 'generate' here"));
  }
}

TEST(FrontProgram, RunsACommandFoundOnThePath) {
  const PluginFolder folder;
  folder.write("phraseq-echo-all", "#!/bin/sh\necho \"got:$1:$2:$#\"\nexit 9\n");
  std::filesystem::permissions(folder.path("phraseq-echo-all"), std::filesystem::perms::owner_all);
  const Outcome outcome =
      shell("PATH=$PATH:" + folder.path() + " phraseq echo-all 'a b' --version");
  EXPECT_EQ(outcome.code, 9);
  EXPECT_EQ(outcome.text, "got:a b:--version:2\n");
}

/// As after the quickstart, which builds some of the commands.
TEST(FrontProgram, SaysHowToGetACommandThatIsNotBuilt) {
  const PluginFolder folder;
  std::filesystem::create_directory(folder.path("bin"));
  const std::string front = folder.path("bin/phraseq");
  std::filesystem::copy_file(PHRASEQ_BUILD_FOLDER "/bin/phraseq", front);
  std::filesystem::create_symlink(PHRASEQ_BUILD_FOLDER "/lib", folder.path("lib"));
  Outcome outcome = shell("PATH=/usr/bin:/bin " + front + " serve");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("the program of 'serve' is missing: " + folder.path("bin")),
                    HasSubstr("install phraseq again")));
  folder.write("CMakeCache.txt", "");
  outcome = shell("PATH=/usr/bin:/bin " + front + " serve");
  EXPECT_THAT(outcome.text, HasSubstr("'cmake --build "));
}

TEST(FrontProgram, DoesNotTreatAPathAsACommand) {
  const Outcome outcome = shell("phraseq ../evil");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("'../evil' is not a command"));
}

TEST(Commands, ReportThatStandardOutputCouldNotBeWritten) {
  const Outcome outcome = shell("phraseq --help > /dev/full");
  EXPECT_EQ(outcome.code, 6);
  EXPECT_THAT(outcome.text, HasSubstr("standard output: cannot write: No space left on device"));
}

TEST(Commands, EndQuietlyWhenTheReaderLeaves) {
  const Outcome outcome = shell("( sleep 0.2; phraseq --help; echo code $? >&2 ) | true");
  EXPECT_EQ(outcome.text, "code 0\n");
}

TEST(Commands, NameTheirVersionAndBuild) {
  const Outcome outcome = shell("phraseq plugins --version && phraseq --version");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(
      outcome.text,
      AllOf(HasSubstr("phraseq plugins 0."), HasSubstr("\nphraseq 0."), HasSubstr("phraseq-abi ")));
}

}  // namespace
