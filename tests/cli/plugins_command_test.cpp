// phraseq plugins as a user runs it, on the plugins of this build.

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

TEST(PluginsCommand, ShowsAPresetsValues) {
  const auto result = run("plugins info transformer_tiny");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(testing::StartsWith("preset transformer_tiny of architecture transformer\n"),
                    HasSubstr("--encoder-embed-dim 128  (default 512)"),
                    HasSubstr("As by default:"),
                    Not(HasSubstr("Presets:"))));
}

TEST(PluginsCommand, ShowsAComponentsOptionsAndPresets) {
  const auto result = run("plugins info transformer");
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.output,
              AllOf(testing::StartsWith("architecture transformer\n"),
                    HasSubstr("Presets:"),
                    HasSubstr("encoder-embed-dim 128")));
}

TEST(PluginsCommand, RejectsAKindThatThereIsNot) {
  for (const char* command : {"plugins list", "plugins info transformer"}) {
    const auto result = run(std::string(command) + " --kind architectures");
    EXPECT_EQ(result.exit_code, kExitUsage);
    EXPECT_THAT(result.errors,
                AllOf(HasSubstr("--kind: 'architectures' is not one of architecture, "),
                      HasSubstr("did you mean")));
    EXPECT_EQ(result.output, "");
  }
  const auto some = run("plugins list --kind architecture");
  EXPECT_EQ(some.exit_code, kExitOk);
  EXPECT_THAT(some.output, testing::StartsWith("architecture\n"));
}

TEST(PluginsCommand, ReportsThatANameIsNoComponentAndNoPreset) {
  const auto result = run("plugins info transformer_tinny");
  EXPECT_EQ(result.exit_code, kExitUsage);
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("no component or preset is called 'transformer_tinny'"),
                    HasSubstr("transformer_tiny")));
}

}  // namespace
}  // namespace phraseq
