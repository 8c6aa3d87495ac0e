#include "core/options/files/file_problems.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FileProblems : public testing::Test {
 protected:
  FileProblems() {
    table_.field("input", input_, "").value_name("FILE");
    table_.field("path", path_, "").value_name("FILE[:FILE]");
    table_.field("systems", systems_, "").value_name("FILE");
    table_.field("target-lang", language_, "").value_name("LANG");
    table_.field("output", output_, "").value_name("FILE").writes_file();
    table_.field("plot", plot_, "").value_name("FILE.svg").writes_file();
    folder_.write("text", "x\n");
  }

  std::vector<std::string> problems() const { return file_problems(table_, config_); }

  TemporaryFolder folder_;
  OptionTable table_;
  std::string input_, path_, language_, output_ = folder_.file("text"), plot_, config_;
  std::vector<std::string> systems_;
};

TEST_F(FileProblems, MayReplaceWhatNoOptionReads) {
  input_ = folder_.file("other");
  language_ = folder_.file("text");  // not a file name, although it looks like one
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(FileProblems, MayNotReplaceAnInputUnderAnyName) {
  const auto lost = ElementsAre(HasSubstr("is one of the inputs (--input), which would be lost"));
  input_ = output_;
  EXPECT_THAT(problems(), lost);
  input_ = folder_.path() + "/./text";
  EXPECT_THAT(problems(), lost);
  input_ = folder_.file("link");
  std::filesystem::create_symlink("text", input_);
  EXPECT_THAT(problems(), lost);
  std::filesystem::remove(input_);
  std::filesystem::create_hard_link(output_, input_);
  EXPECT_THAT(problems(), lost);
}

TEST_F(FileProblems, MayNotReplaceOneOfSeveralInputs) {
  path_ = folder_.file("other") + ":" + output_;
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("(--path)")));
  path_.clear();
  systems_ = {"a=" + folder_.file("other"), "b=" + folder_.file("third") + "," + output_};
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("(--systems)")));
}

TEST_F(FileProblems, MayNotReplaceTheConfiguration) {
  config_ = output_;
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("(--config)")));
}

TEST_F(FileProblems, AreDifferentFilesEvenIfTheyDoNotExist) {
  output_ = folder_.file("new");
  plot_ = folder_.path() + "/./new";
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("is written by --output and by --plot")));
  plot_ = folder_.file("newer");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(FileProblems, CannotLoseAStream) {
  for (const char* stream : {"-", "/dev/null"}) {
    output_ = plot_ = input_ = stream;
    EXPECT_THAT(problems(), IsEmpty()) << stream;
  }
}

TEST_F(FileProblems, ReadStandardInputOnce) {
  table_.find("input")->from_text("-", OptionOrigin::kCommandLine);
  table_.find("output")->from_text("-", OptionOrigin::kCommandLine);
  EXPECT_THAT(problems(), IsEmpty());
  table_.find("systems")->from_text("-", OptionOrigin::kCommandLine);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("is given 2 times: --input, --systems")));
}

}  // namespace
}  // namespace phraseq
