#include "core/score/report/score_input.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::score {
namespace {

using testing::ElementsAre;

/// "eins\nzwei\n", made by Python's gzip.
constexpr char kGzipped[] =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xcd\xcc\x2b\xe6\xaa\x2a\x4f\xcd\xe4"
    "\x02\x00\x94\x9b\x82\xc2\x0a\x00\x00\x00";

class ScoreInputTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    return temporary_.write(name, bytes);
  }

  std::string message_of(const std::vector<std::string>& inputs,
                         const std::vector<std::string>& references,
                         size_t fields = 1) {
    try {
      read_score_input(inputs, references, fields);
    } catch (const Error& error) {
      const std::string text = error.message();
      return text.substr(0, 5) == "/tmp/"
                 ? std::filesystem::path(text.substr(0, text.find(' '))).filename().string() +
                       text.substr(text.find(' '))
                 : text;
    }
    return "nothing was thrown";
  }

  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

TEST_F(ScoreInputTest, SplitsAtLineFeedsAndDropsTrailingWhitespace) {
  const auto path = write("a", "one \r\n\xEF\xBB\xBFtwo\rstill\ttwo\t\n\n\xC2\x85last\xE3\x80\x80");
  EXPECT_THAT(read_score_lines(path),
              ElementsAre("one", "\uFEFFtwo\rstill\ttwo", "", "\u0085last"));
}

TEST_F(ScoreInputTest, HasNoLineInAnEmptyFileAndOneInABareLineFeed) {
  EXPECT_TRUE(read_score_lines(write("empty", "")).empty());
  EXPECT_THAT(read_score_lines(write("feed", "\n")), ElementsAre(""));
}

TEST_F(ScoreInputTest, ReadsGzippedFilesAndNoticesTheirEarlyEnd) {
  const auto path = write("a.gz", std::string(kGzipped, sizeof(kGzipped) - 1));
  EXPECT_THAT(read_score_lines(path), ElementsAre("eins", "zwei"));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  EXPECT_THROW(read_score_lines(path), FormatError);
}

TEST_F(ScoreInputTest, NamesThePlaceOfInvalidUtf8) {
  const auto path = write("bad", "fine\nab\xC3(\n");
  EXPECT_EQ(message_of({path}, {path}), "bad:2:3: invalid UTF-8 (byte 0xC3)");
  const auto surrogate = write("surrogate", "\xED\xA0\x80\n");
  EXPECT_EQ(message_of({surrogate}, {surrogate}), "surrogate:1:1: invalid UTF-8 (byte 0xED)");
}

TEST_F(ScoreInputTest, NamesBothFilesAndCountsWhereTheyDiffer) {
  std::filesystem::current_path(folder_);
  write("system", "a\nb\nc\n");
  write("reference", "a\nb\n");
  EXPECT_EQ(message_of({"system"}, {"reference"}), "system has 3 lines, reference has 2");
  write("nothing", "");
  EXPECT_EQ(message_of({"nothing"}, {"nothing"}), "nothing: no lines to score");
  std::filesystem::current_path("/");
}

TEST_F(ScoreInputTest, SplitsReferencesAtTabs) {
  const auto system = write("s", "x\ny\n");
  const auto references = write("r", "a b\tc\td\ne\t\tf\n");
  const auto input = read_score_input({system}, {references}, 3);
  EXPECT_THAT(input.references, ElementsAre(Lines{"a b", "e"}, Lines{"c", ""}, Lines{"d", "f"}));
  EXPECT_EQ(message_of({system}, {references}, 4), "r:1: 3 TAB-separated references, expected 4");
  EXPECT_THAT(read_score_input({system}, {references}, 2).references[1],
              ElementsAre("c\td", "\tf"));
}

TEST(WarnAboutTokens, NeedsAHundredLinesThatEndInATokenizedPeriod) {
  const auto warning_of = [](size_t lines) {
    ScoreInput input;
    input.systems.push_back({"out.txt", Lines(lines, "tokenized .")});
    testing::internal::CaptureStderr();
    warn_about_tokens(input);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning_of(99), "");
  EXPECT_THAT(warning_of(100), testing::HasSubstr("out.txt: 100 lines end in a tokenized period"));
}

TEST(WarnAboutSubwords, NamesTheirMarks) {
  const auto warning_of = [](const std::string& line) {
    ScoreInput input;
    input.systems.push_back({"out.txt", {line, "ein Haus"}});
    testing::internal::CaptureStderr();
    warn_about_subwords(input);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning_of("ein kleines Haus im Tal"), "");
  EXPECT_THAT(warning_of("ein klei@@ nes H@@ aus im Ta@@ l"),
              testing::HasSubstr("out.txt: the score is computed on subwords, with the marks @@"));
  EXPECT_THAT(warning_of("\u2581ein \u2581klei nes \u2581Haus"),
              testing::HasSubstr("with the marks U+2581. Score text: the D- lines"));
}

TEST(WarnAboutSubwords, NamesAReferenceIfNoSystemHasMarks) {
  const auto warning_of = [](const std::string& system) {
    ScoreInput input;
    input.systems.push_back({"out.txt", {system}});
    input.references = {{"ein Haus"}, {"\u2581ein \u2581Ha us"}};
    testing::internal::CaptureStderr();
    warn_about_subwords(input);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(warning_of("ein Haus"),
              testing::HasSubstr("reference 2: the score is computed on subwords"));
  EXPECT_THAT(warning_of("\u2581ein \u2581Haus"),
              testing::AllOf(testing::HasSubstr("out.txt: the score is computed on subwords"),
                             testing::Not(testing::HasSubstr("reference"))));
}

TEST_F(ScoreInputTest, RejectsOneSystemTwice) {
  const auto system = write("s", "x\n");
  EXPECT_THROW(read_score_input({system, system}, {system}, 1), UsageError);
}

TEST_F(ScoreInputTest, ReportsWhyAFileCannotBeRead) {
  EXPECT_THROW(read_score_lines(folder_ / "missing"), IoError);
  EXPECT_THROW(read_score_lines(folder_), IoError);
}

}  // namespace
}  // namespace phraseq::score
