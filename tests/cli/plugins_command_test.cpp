// phraseq plugins as a user runs it, on the plugins of this build.

#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using end_to_end::CommandResult;
using end_to_end::words;

CommandResult run(const std::string& line) {
  end_to_end::Workspace space;
  return space.run(words(line));
}

TEST(PluginsCommand, ListsEveryComponentInOneLine) {
  const auto result = run("plugins list");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  const auto lines = end_to_end::lines_of(result.output);
  EXPECT_GT(lines.size(), 20u);
  std::set<std::pair<std::string, std::string>> names;
  for (const std::string& line : lines) {
    const auto columns = words(line);
    ASSERT_GT(columns.size(), 2u) << line;
    EXPECT_TRUE(names.emplace(columns[0], columns[1]).second) << line;
  }
  EXPECT_TRUE(names.contains({"architecture", "transformer"}));
  EXPECT_TRUE(names.contains({"lr_scheduler", "inverse_sqrt"}));
  EXPECT_FALSE(names.contains({"architecture", "transformer_tiny"}));
}

TEST(PluginsCommand, ListsPresetsInLinesOfTheirOwn) {
  const auto result = run("plugins list --kind architecture --presets");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  bool is_found = false;
  for (const std::string& line : end_to_end::lines_of(result.output)) {
    EXPECT_THAT(line, testing::StartsWith("architecture  "));
    is_found |= words(line)[1] == "transformer_tiny" && line.ends_with("(preset of transformer)");
  }
  EXPECT_TRUE(is_found) << result.output;
}

TEST(PluginsCommand, ChecksAnInstalledPluginByName) {
  const auto result = run("plugins check cosine");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("libphraseq-cosine.so"));
  EXPECT_EQ(run("plugins check cosinus").exit_code, kExitPlugin);
}

TEST(PluginsCommand, TakesAKindWithADashOrAnUnderscore) {
  const auto dash = run("plugins list --kind lr-scheduler");
  EXPECT_EQ(dash.exit_code, kExitOk) << dash.errors;
  EXPECT_THAT(dash.output, testing::StartsWith("lr_scheduler  "));
  EXPECT_EQ(run("plugins list --kind lr_scheduler").output, dash.output);
  const auto explained = run("plugins explain noam --kind lr-scheduler");
  EXPECT_EQ(explained.exit_code, kExitOk) << explained.errors;
  EXPECT_THAT(explained.output, testing::StartsWith("lr_scheduler noam\n"));
}

TEST(PluginsCommand, KeepsInfoAsAnotherNameOfExplain) {
  const auto explained = run("plugins explain transformer");
  EXPECT_EQ(explained.exit_code, kExitOk) << explained.errors;
  EXPECT_EQ(run("plugins info transformer").output, explained.output);
  EXPECT_EQ(run("plugins explain transformer-tiny").output,
            run("plugins explain transformer_tiny").output);
  EXPECT_THAT(run("plugins explain").errors,
              HasSubstr("explain: the name of a component is missing"));
}

TEST(PluginsCommand, ShowsAPresetsValues) {
  const auto result = run("plugins explain transformer_tiny");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(testing::StartsWith("preset transformer_tiny of architecture transformer\n"),
                    HasSubstr("--encoder-embed-dim 128  (default 512)"),
                    HasSubstr("As by default:"),
                    Not(HasSubstr("Presets:"))));
}

TEST(PluginsCommand, ShowsAComponentsOptionsAndPresets) {
  const auto result = run("plugins explain transformer");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(testing::StartsWith("architecture transformer\n"),
                    HasSubstr("Presets:"),
                    HasSubstr("encoder-embed-dim 128")));
}

TEST(PluginsCommand, RejectsAnUnknownKind) {
  for (const char* command : {"plugins list", "plugins explain transformer"}) {
    const auto result = run(std::string(command) + " --kind architectures");
    EXPECT_EQ(result.exit_code, kExitUsage);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("--kind: 'architectures' is not one of architecture, "),
                      HasSubstr("did you mean")));
    EXPECT_EQ(result.output, "");
  }
  const auto some = run("plugins list --kind architecture");
  EXPECT_EQ(some.exit_code, kExitOk);
  EXPECT_THAT(some.output, testing::StartsWith("architecture  "));
}

TEST(PluginsCommand, RejectsOptionsThatAnActionDoesNotUse) {
  for (const auto& [arguments, problem] :
       {std::pair("options --kind task --output pages", "options does not use --kind"),
        std::pair("list --output pages", "list does not use --output"),
        std::pair("explain transformer --presets", "explain does not use --presets")}) {
    const auto result = run(std::string("plugins ") + arguments);
    EXPECT_EQ(result.exit_code, kExitUsage) << arguments;
    EXPECT_THAT(result.errors, HasSubstr(problem));
  }
}

TEST(PluginsCommand, ReportsThatANameIsNeitherAComponentNorAPreset) {
  const auto result = run("plugins explain transformer_tinny");
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("no component or preset is called 'transformer_tinny'"),
                    HasSubstr("transformer_tiny")));
}

TEST(PluginsCommand, WritesAllPagesOrNone) {
  end_to_end::Workspace space;
  const auto write_pages = [&](const std::string& limit) {
    const std::string line = "ulimit -f " + limit + "; exec \"$0\" plugins options --output pages";
    return space.start_program({"/bin/bash", "-c", line, end_to_end::kPhraseqProgram}).wait();
  };
  const auto full = write_pages("12");  // KiB, less than the page of train
  EXPECT_EQ(full.exit_code, kExitIo) << full.errors;
  EXPECT_FALSE(space.exists("pages")) << full.errors;
  const auto result = write_pages("unlimited");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_TRUE(space.exists("pages/README.md"));
  space.write("pages/phraseq-average.md", "old");
  EXPECT_EQ(write_pages("12").exit_code, kExitIo);
  EXPECT_EQ(space.read("pages/phraseq-average.md"), "old");
  EXPECT_EQ(write_pages("unlimited").exit_code, kExitOk);
  EXPECT_NE(space.read("pages/phraseq-average.md"), "old");
}

TEST(PluginsCommand, DoesNotReplaceAnotherReadme) {
  end_to_end::Workspace space;
  space.write("README.md", "# My plugin\n");
  const auto result = space.run(words("plugins options --output ."));
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors, AllOf(HasSubstr("README.md"), HasSubstr("would be replaced")));
  EXPECT_EQ(space.read("README.md"), "# My plugin\n");
  EXPECT_FALSE(space.exists("phraseq-train.md"));
}

}  // namespace
}  // namespace phraseq
