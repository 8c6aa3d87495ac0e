#include "core/io/compressed/gzip_input.h"

#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

class GzipInputTest : public ::testing::Test {
 protected:
  /// A gzip member written by zlib.
  std::string member(const std::string& text) {
    const std::string path = folder_.file("member.gz");
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return read_file(path);
  }

  /// Returns the text of a file of these bytes, read `step` bytes at a time.
  std::string text_of(const std::string& bytes, size_t step = 1000) {
    GzipInput input(folder_.write("file", bytes));
    std::string buffer(step, 'x'), text;
    while (const size_t got = input.read(buffer.data(), step)) text.append(buffer, 0, got);
    return text;
  }

  std::string error_of(const std::string& bytes) {
    try {
      return "read: " + text_of(bytes);
    } catch (const FormatError& error) {
      return error.message();
    }
  }

  TemporaryFolder folder_;
};

TEST_F(GzipInputTest, ReadsPlainAndCompressedFiles) {
  for (const std::string text : {"", "a", "\x1F", "ein Text\n"}) {
    EXPECT_EQ(text_of(text), text);
    EXPECT_EQ(text_of(member(text)), text);
  }
}

TEST_F(GzipInputTest, ReadsMoreThanItsBlocks) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919) + "\n";
  EXPECT_EQ(text_of(text, 70'000), text);
  EXPECT_EQ(text_of(member(text) + member(text), 70'000), text + text);
}

TEST_F(GzipInputTest, ReadsMembersInARow) {
  const std::string both = member("one ") + member("") + member("two");
  EXPECT_EQ(text_of(both), "one two");
  EXPECT_EQ(text_of(both, 1), "one two");
  EXPECT_EQ(text_of(both + std::string(300'000, '\0')), "one two") << "padding of a tape";
}

TEST_F(GzipInputTest, RejectsWhatFollowsAMember) {
  const std::string one = member("one"), two = member("two");
  EXPECT_THAT(error_of(one + "plain text"), HasSubstr("what follows the compressed data"));
  EXPECT_THAT(error_of(one + "x"), HasSubstr("what follows the compressed data"));
  EXPECT_THAT(error_of(one + std::string(300'000, '\0') + "x"), HasSubstr("what follows"));
  EXPECT_THAT(error_of(one + two.substr(0, two.size() - 1)), HasSubstr("unexpected end of file"));
  EXPECT_THAT(error_of(one + two.substr(0, 2)), HasSubstr("unexpected end of file"));
}

TEST_F(GzipInputTest, RejectsDamagedData) {
  std::string damaged = member("one");
  damaged[damaged.size() - 8] ^= 1;
  EXPECT_THAT(error_of(damaged), HasSubstr("file: damaged gzip data: incorrect data check"));
  EXPECT_THAT(error_of("\x1F\x8B"), HasSubstr("unexpected end of file"));
}

TEST_F(GzipInputTest, ReportsWhatCannotBeRead) {
  EXPECT_THROW(GzipInput(folder_.file("none")), IoError);
  char byte = 0;
  EXPECT_THROW(GzipInput(folder_.path()).read(&byte, 1), IoError);
}

}  // namespace
}  // namespace phraseq
