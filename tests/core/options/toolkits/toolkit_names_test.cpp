#include "core/options/toolkits/toolkit_names.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/mapping/mapped_file.h"
#include "core/options/command_line.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

/// The table of a command that translates.
class ToolkitNames : public ::testing::Test {
 protected:
  ToolkitNames() {
    table_.field("path", path_, "Checkpoint.");
    table_.field("lenpen", lenpen_, "Length penalty.");
    table_.field("unnormalized", unnormalized_, "Sum of logarithms.");
    table_.field("threads", threads_, "Threads.");
  }

  std::string path_;
  double lenpen_ = 1;
  bool unnormalized_ = false;
  int64_t threads_ = 1;
  OptionTable table_;
};

TEST_F(ToolkitNames, AreExplainedByOursAndNotByTheMostSimilar) {
  const std::vector<std::string> arguments = {"--normalize", "0.6"};
  EXPECT_THAT([&] { parse_command_line(table_, arguments); },
              ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("unknown option --normalize; it is called --lenpen here"),
                        Not(HasSubstr("--unnormalized")))));
}

TEST_F(ToolkitNames, GiveWayToWhatTheCommandKnows) {
  const std::vector<std::string> arguments = {"-length_penalty", "0.6"};
  const auto explain = [](const std::string& name) { return name + " is an option of a plugin"; };
  EXPECT_THAT([&] { parse_command_line(table_, arguments, {}, explain); },
              ThrowsMessage<UsageError>(
                  HasSubstr("-length_penalty; length-penalty is an option of a plugin")));
}

TEST_F(ToolkitNames, DependOnTheOptionsOfTheCommand) {
  EXPECT_THAT(explain_toolkit_name(table_, "model"), HasSubstr("--path"));
  EXPECT_THAT(explain_toolkit_name(table_, "cpu-threads"), HasSubstr("--threads"));
  EXPECT_EQ(explain_toolkit_name(table_, "length-penalty"),
            "it is called --lenpen here; none and wu are values of --length-penalty-form, and avg "
            "is --lenpen 1");
  EXPECT_EQ(explain_toolkit_name(table_, "beam-size"), "");
  std::string folder;
  table_.field("save-dir", folder, "Folder.");
  EXPECT_THAT(explain_toolkit_name(table_, "model"), HasSubstr("--save-dir"));
}

/// All pages of options in one text.
std::string option_pages() {
  std::string text;
  for (const auto& page :
       std::filesystem::directory_iterator(PHRASEQ_SOURCE_FOLDER "/docs/options")) {
    text += read_file(page.path());
  }
  return text;
}

TEST_F(ToolkitNames, CorrespondToOptionsThatExist) {
  const std::string pages = option_pages();
  for (const ToolkitName& known : toolkit_names()) {
    EXPECT_THAT(pages, HasSubstr(fmt::format("`--{}`", known.ours))) << known.name;
  }
}

}  // namespace
}  // namespace phraseq
