#include "core/base/shell_quote.h"

#include <array>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

/// The word as a real shell reads it.
std::string read_by_shell(const std::string& word) {
  std::FILE* pipe = popen(("printf '[%s]' " + word).c_str(), "r");
  std::array<char, 1024> block{};
  const size_t size = fread(block.data(), 1, block.size(), pipe);
  pclose(pipe);
  return {block.data(), size};
}

TEST(ShellQuotedPath, LeavesPlainNamesAsTheyAre) {
  EXPECT_EQ(shell_quoted_path("runs/big-2/checkpoint_best"), "runs/big-2/checkpoint_best");
}

TEST(ShellQuoted, LeavesFlagsAsTheyAre) {
  EXPECT_EQ(shell_quoted("--lr=0.5,1e-07"), "--lr=0.5,1e-07");
  EXPECT_EQ(shell_quoted("=ls"), "'=ls'");
}

TEST(ShellQuotedPath, IsReadBackByTheShellUnchanged) {
  for (const std::string path : {"my runs/a",
                                 "it's",
                                 "a\"b",
                                 "$HOME",
                                 "`date`",
                                 "a\\b",
                                 "x;y",
                                 "~",
                                 "a*",
                                 "über",
                                 "(1)",
                                 "new\nline",
                                 "!1",
                                 "#1",
                                 "=ls"})
    EXPECT_EQ(read_by_shell(shell_quoted_path(path)), "[" + path + "]");
  EXPECT_EQ(read_by_shell(shell_quoted_path("")), "[]");
}

TEST(ShellQuotedPath, IsNeverReadAsAFlag) {
  EXPECT_EQ(shell_quoted_path("-run"), "./-run");
  EXPECT_EQ(read_by_shell(shell_quoted_path("--a b")), "[./--a b]");
}

}  // namespace
}  // namespace phraseq
