#include "core/base/line_file.h"

#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/error.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

TEST(LineFile, AppendsWholeLines) {
  const TemporaryFolder folder;
  LineFile file(folder.write("log", "before\n"), LineFile::TornLine::kRemove);
  EXPECT_EQ(file.append("one\n"), 0);
  EXPECT_EQ(file.append("two\n"), 0);
  EXPECT_EQ(read_file(folder.file("log")), "before\none\ntwo\n");
}

TEST(LineFile, LeavesNoNewFileToWhichNothingWasWritten) {
  const TemporaryFolder folder;
  { const LineFile file(folder.file("new"), LineFile::TornLine::kRemove); }
  { const LineFile file(folder.write("empty", ""), LineFile::TornLine::kRemove); }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"empty"});
  { LineFile(folder.file("new"), LineFile::TornLine::kRemove).append("x\n"); }
  EXPECT_EQ(read_file(folder.file("new")), "x\n");
}

TEST(LineFile, RemovesOrEndsALineThatAKilledProcessLeftUnfinished) {
  const TemporaryFolder folder;
  { LineFile(folder.write("a", "whole\nto"), LineFile::TornLine::kRemove).append("new\n"); }
  EXPECT_EQ(read_file(folder.file("a")), "whole\nnew\n");
  { LineFile(folder.write("b", "whole\nto"), LineFile::TornLine::kEnd).append("new\n"); }
  EXPECT_EQ(read_file(folder.file("b")), "whole\nto\nnew\n");
  const std::string only_torn(10'000, 'x');
  { LineFile(folder.write("c", only_torn), LineFile::TornLine::kRemove).append("new\n"); }
  EXPECT_EQ(read_file(folder.file("c")), "new\n");
}

/// Limits the size of the files of this process; writing more is an error, as on a full disk.
void limit_files(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(LineFile, WritesWhatAFullDiskRefusedWhenThereIsSpaceAgain) {
  const TemporaryFolder folder;
  const int status = in_child([&] {
    LineFile file(folder.file("log"), LineFile::TornLine::kRemove);
    limit_files(10);
    if (file.append("12345\n") != 0 || file.append("6789\n") != EFBIG)
      ::_exit(11);
    if (read_file(folder.file("log")) != "12345\n")  // no part of the second line
      ::_exit(12);
    if (file.append("0\n") != 0)  // reported once only
      ::_exit(13);
    limit_files(1000);
    if (file.append("a\n") != 0)
      ::_exit(14);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder.file("log")), "12345\n6789\n0\na\n");
}

TEST(LineFile, KeepsTheLastMebibyteOfWhatAFullDiskRefuses) {
  const TemporaryFolder folder;
  const std::string padding(1000, 'x');
  const int status = in_child([&] {
    LineFile file(folder.file("log"), LineFile::TornLine::kRemove);
    limit_files(10);
    for (int i = 0; i < 2000; ++i) file.append(std::to_string(i) + " " + padding + "\n");
    limit_files(RLIM_INFINITY);
    if (file.append("last\n") != 0)
      ::_exit(11);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const std::string log = read_file(folder.file("log"));
  EXPECT_LE(log.size(), (size_t{1} << 20) + 5);
  EXPECT_GT(log.size(), (size_t{1} << 20) - 1100);
  EXPECT_TRUE(log.ends_with("1999 " + padding + "\nlast\n"));
}

TEST(LineFile, ReportsAPlaceThatCannotBeOpened) {
  EXPECT_THROW(LineFile("/proc/nowhere/log", LineFile::TornLine::kEnd), IoError);
}

}  // namespace
}  // namespace phraseq
