#include "core/io/line_reader.h"

#include <filesystem>
#include <string>
#include <unistd.h>
#include <zlib.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class LineReaderTest : public ::testing::Test {
 protected:
  void SetUp() override { set_log_quiet(true); }

  std::vector<std::string> lines_of(std::string_view text, LineReaderOptions options = {}) {
    return read_lines(folder.write("text", text), options);
  }
  std::string message_of(std::string_view text, LineReaderOptions options = {}) {
    return whole_message_of([&] { lines_of(text, options); });
  }

  TemporaryFolder folder;
};

TEST_F(LineReaderTest, CountsALastLineWithoutNewline) {
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(""), ElementsAre());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("\n\nx"), ElementsAre("", "", "x"));
}

TEST_F(LineReaderTest, TakesOneCarriageReturnFromTheEnd) {
  EXPECT_THAT(lines_of("a\r\nb\r\r\n\r\nc\r"), ElementsAre("a", "b\r", "", "c"));
}

TEST_F(LineReaderTest, SplitsNowhereElse) {
  EXPECT_THAT(lines_of("a\rb\xE2\x80\xA8"
                       "c\xC2\x85"
                       "d\te\n"),
              ElementsAre("a\rb\xE2\x80\xA8"
                          "c\xC2\x85"
                          "d\te"));
}

TEST_F(LineReaderTest, RemovesAByteOrderMarkOnlyAtTheStart) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBF"
                       "a\n\xEF\xBB\xBF"
                       "b\n"),
              ElementsAre("a",
                          "\xEF\xBB\xBF"
                          "b"));
}

TEST_F(LineReaderTest, NamesFileLineAndByteOfBadText) {
  EXPECT_THAT(message_of("ok\nab\xC3(\n"),
              HasSubstr("text:2:3: invalid UTF-8: truncated character (0xC3)"));
  EXPECT_THAT(message_of("\xEF\xBB\xBF"
                         "a\xED\xA0\x80\n"),
              HasSubstr("text:1:5: invalid UTF-8: surrogate (0xED 0xA0 0x80)"));
  EXPECT_THAT(message_of(std::string_view("a\0b\n", 4)),
              HasSubstr("text:1:2: control byte (0x00)"));
  EXPECT_THAT(message_of("x\n\x1B[0m\n"), HasSubstr("text:2:1: control byte (0x1B)"));
}

TEST_F(LineReaderTest, RecognizesUtf16AndUtf32) {
  using namespace std::string_view_literals;
  EXPECT_THAT(message_of("\xFF\xFE"
                         "a\0\n\0"sv),
              HasSubstr("iconv -f UTF-16"));
  EXPECT_THAT(message_of("\xFE\xFF"
                         "\0a\0\n"sv),
              HasSubstr("iconv -f UTF-16"));
  EXPECT_THAT(message_of("\xFF\xFE\0\0"
                         "a\0\0\0\n\0\0\0"sv),
              HasSubstr("iconv -f UTF-32"));
  EXPECT_THAT(message_of("\0\0\xFE\xFF"
                         "\0\0\0a\0\0\0\n"sv),
              HasSubstr("iconv -f UTF-32"));
}

// Only three of the commands that read lines have the option.
TEST_F(LineReaderTest, SaysWhichCommandsCanSkipBadLines) {
  const std::string text = message_of("a\nb\xFF\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("iconv"),
                    HasSubstr("preprocess, generate and interactive"),
                    HasSubstr("--on-bad-line")));
}

TEST_F(LineReaderTest, SkipsBadLinesAsEmptyOnes) {
  LineReader reader(folder.write("text", "a\nb\xFF\nc\n"), {.on_bad_line = OnBadLine::kSkip});
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_FALSE(reader.bad());
  EXPECT_EQ(reader.defect(), "");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "");
  EXPECT_TRUE(reader.bad());
  EXPECT_EQ(reader.defect(), "byte that is never in UTF-8");
  EXPECT_EQ(reader.line_number(), 2);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "c");
  EXPECT_FALSE(reader.bad());
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.bad_lines(), 1);
  EXPECT_EQ(reader.line_number(), 3);
}

TEST_F(LineReaderTest, RepairsBadLinesAndCountsThem) {
  LineReader reader(folder.write("text", "a\xFFz\x01\nb\n"), {.on_bad_line = OnBadLine::kReplace});
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "a\xEF\xBF\xBDz ");
  EXPECT_FALSE(reader.bad());
  EXPECT_EQ(reader.bad_lines(), 1);
}

TEST_F(LineReaderTest, LimitsTheBytesOfALine) {
  EXPECT_THAT(lines_of("12345\n1234", {.max_line_bytes = 5}), ElementsAre("12345", "1234"));
  EXPECT_THAT(message_of("ok\n123456\n", {.max_line_bytes = 5}),
              AllOf(HasSubstr("text:2: the line is longer than 5 bytes"),
                    HasSubstr("phraseq preprocess can leave out such lines")));
  EXPECT_THAT(message_of("123456\n", {.max_line_bytes = 5, .on_bad_line = OnBadLine::kReplace}),
              HasSubstr("longer"));
  EXPECT_THAT(
      lines_of("ok\n123456\nafter\n", {.max_line_bytes = 5, .on_bad_line = OnBadLine::kSkip}),
      ElementsAre("ok", "", "after"));
}

TEST_F(LineReaderTest, FindsAnEndlessLineInLittleMemory) {
  const auto path = folder.write("text", "ok\n");
  const auto read_all = [&](OnBadLine choice, int64_t bytes) {
    fs::resize_file(path, bytes);  // sparse: zeros to the end, and no newline
    return in_child([&] {
      const rlimit limit{256 << 20, 256 << 20};
      ::setrlimit(RLIMIT_AS, &limit);
      LineReader reader(path, {.on_bad_line = choice});
      std::string line;
      while (reader.next(line)) {
      }
      if (reader.line_number() != 2 || reader.bad_lines() != 1)
        ::_exit(99);
    });
  };
  const int rejected = read_all(OnBadLine::kError, int64_t{2} << 30);
  EXPECT_EQ(WEXITSTATUS(rejected), kExitData);
  const int skipped = read_all(OnBadLine::kSkip, int64_t{400} << 20);
  EXPECT_EQ(WEXITSTATUS(skipped), kExitOk);
  EXPECT_TRUE(WIFEXITED(rejected) && WIFEXITED(skipped));
}

TEST_F(LineReaderTest, ReadsLinesThatCrossItsBuffer) {
  std::string text;
  std::vector<std::string> expected;
  for (size_t i = 0; i < 90; ++i) {
    expected.emplace_back(7919 + i, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(text), expected);
}

std::string gzipped(const TemporaryFolder& folder, std::string_view text) {
  const auto path = folder.file("text.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

TEST_F(LineReaderTest, ReadsGzip) {
  EXPECT_THAT(read_lines(gzipped(folder, "a\r\n\xC3\xA4\nlast")),
              ElementsAre("a", "\xC3\xA4", "last"));
  EXPECT_THAT(read_lines(gzipped(folder, "")), ElementsAre());
}

TEST_F(LineReaderTest, ReportsDamagedGzip) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i * 7919) + " words\n";
  const auto path = gzipped(folder, text);
  const std::string good = read_file(path);
  ASSERT_EQ(read_lines(path).size(), 3000U);
  for (const size_t length : {good.size() - 1, good.size() - 8, good.size() / 2, size_t{12}}) {
    folder.write("text.gz", good.substr(0, length));
    EXPECT_THROW(read_lines(path), FormatError) << length;
  }
  std::string flipped = good;
  flipped[good.size() / 2] ^= 0x10;
  folder.write("text.gz", flipped);
  EXPECT_THROW(read_lines(path), FormatError);
}

TEST_F(LineReaderTest, ReportsWhatCannotBeRead) {
  EXPECT_THROW(LineReader(folder.file("none")), IoError);
  LineReader reader(folder.path());
  std::string line;
  try {
    reader.next(line);
    FAIL() << "no error";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Is a directory"));
  }
}

TEST_F(LineReaderTest, AnswersTheFirstLineOfStandardInputBeforeTheSecondIsWritten) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  const int status = in_child([&] {
    ::dup2(pipe_ends[0], STDIN_FILENO);
    LineReader reader("-");
    std::string line;
    for (const char* written : {"one", "two"}) {
      const std::string text = std::string(written) + "\n";
      if (::write(pipe_ends[1], text.data(), text.size()) != 4)
        ::_exit(97);
      ::alarm(10);  // ends a reader that waits for more
      if (!reader.next(line) || line != written)
        ::_exit(98);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(LineReader("-").path(), "standard input");
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_F(LineReaderTest, SaysThatStandardInputIsNotDecompressed) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  ASSERT_EQ(::write(pipe_ends[1], "\x1F\x8B\x08\n", 4), 4);
  const int status = in_child([&] {
    ::dup2(pipe_ends[0], STDIN_FILENO);
    LineReader reader("-");
    std::string line;
    try {
      reader.next(line);
      ::_exit(98);
    } catch (const DataError& error) {
      ::_exit(error.hint().find("zcat") == std::string::npos ? 99 : 0);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST_F(LineReaderTest, SkipsNoLineThatHasNoEnd) {
  const auto path = folder.write("text", "a\n");
  fs::resize_file(path, uintmax_t{3} << 29);  // zeros, as from /dev/zero
  try {
    read_lines(path, {.on_bad_line = OnBadLine::kSkip});
    ADD_FAILURE() << "no error";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("text:2: the line is longer than 1024 MiB"));
  }
}

/// Limits the address space to what is in use plus `more` bytes.
void limit_memory(uint64_t more) {
  const uint64_t pages = std::stoull(read_file("/proc/self/statm"));
  const rlimit limit{pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)) + more, RLIM_INFINITY};
  ::setrlimit(RLIMIT_AS, &limit);
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

TEST_F(LineReaderTest, EndsWithAnErrorBeforeLinesWithoutEndTakeAllMemory) {
  const auto path = folder.write("text", std::string(size_t{1} << 23, '\n'));
  const int status = in_child([&] {
    limit_memory(uint64_t{200} << 20);
    read_lines(path);
  });
  EXPECT_EQ(exit_code_of(status), kExitIo);
}

TEST(ReadFile, EndsWithAnErrorBeforeAFileWithoutEndTakesAllMemory) {
  const int status = in_child([] {
    limit_memory(uint64_t{300} << 20);
    read_file("/dev/zero");
  });
  EXPECT_EQ(exit_code_of(status), kExitIo);
}

}  // namespace
}  // namespace phraseq
