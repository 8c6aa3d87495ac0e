// phraseq-preprocess as a user runs it: on bad text, with bad places for its output, and killed at
// any time.

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/corpus/data_folder.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/shell.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::shell;

constexpr const char* kProgram = PHRASEQ_BUILD_FOLDER "/bin/phraseq-preprocess";

class PreprocessCommand : public ::testing::Test {
 protected:
  void SetUp() override { write("a b\nc\n", "x\ny z\n"); }

  void write(std::string_view source, std::string_view target) {
    folder.write("train.de", source);
    folder.write("train.en", target);
  }
  /// Runs the command in the folder, on train.de and train.en, with environment settings in front
  /// of it.
  Outcome run(const std::string& more = {}, const std::string& environment = {}) {
    const std::string line = "cd " + folder.path() + " && { " + environment + " " + kProgram +
                             " -s de -t en --trainpref train --destdir out " + more + "; } 2>&1";
    return shell(line);
  }
  bool left_nothing() const { return folder.entries() == 2; }

  TemporaryFolder folder;
};

TEST_F(PreprocessCommand, ReportsWhatItDid) {
  const Outcome outcome = run("--padding-factor 1");
  EXPECT_EQ(outcome.code, kExitOk);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("train: read 2 lines, kept 2, skipped 0"),
                    HasSubstr("[de] Dictionary: 7 types"),
                    HasSubstr("[en] train.en: 2 sents, 5 tokens, 0% replaced (by <unk>)"),
                    HasSubstr("Wrote preprocessed data to out")));
}

TEST_F(PreprocessCommand, LearnsSubwordsThroughThePlugin) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "the newer and the older river\n";
  write(text, text);
  EXPECT_EQ(run("--subwords 20 --joined-dictionary").code, kExitOk);
  const auto data = DataFolder::open(folder.file("out"));
  EXPECT_EQ(data.tokenizer(), "sentencepiece");
  EXPECT_FALSE(read_file(data.tokenizer_model("de")).empty());
}

TEST_F(PreprocessCommand, LowercasesTheTextAndRemembersIt) {
  write("A a\n", "X\n");
  EXPECT_EQ(run("--lowercase --padding-factor 1").code, kExitOk);
  EXPECT_EQ(read_file(folder.file("out/dict.de.txt")), "a 2\n");
  EXPECT_EQ(DataFolder::open(folder.file("out")).tokenizer_options().value("lowercase", false),
            true);
}

TEST_F(PreprocessCommand, EndsWithTheCodeOfTheRemedyAndWritesNothing) {
  write("a\nb\n", "x\n");
  EXPECT_EQ(run().code, kExitData);
  EXPECT_TRUE(left_nothing());
  write("a\nb\xED\xA0\x80\n", "x\ny\n");
  const Outcome bad = run();
  EXPECT_EQ(bad.code, kExitData);
  EXPECT_THAT(bad.text,
              HasSubstr("error: train.de:2:2: invalid UTF-8: surrogate (0xED 0xA0 0x80)"));
  EXPECT_TRUE(left_nothing());
  EXPECT_EQ(run("--check-only").code, kExitData);
  EXPECT_TRUE(left_nothing());
  EXPECT_EQ(run("--on-bad-line skip").code, kExitOk);
}

TEST_F(PreprocessCommand, ReportsAllProblemsOfItsOptionsAtOnce) {
  const Outcome outcome = run("--subwords 10 --subword-model m --nwordssrc many --thresholdsrcc 2");
  EXPECT_EQ(outcome.code, kExitUsage);
  EXPECT_THAT(outcome.text,
              AllOf(HasSubstr("3 problems"),
                    HasSubstr("give only one of them"),
                    HasSubstr("nwordssrc"),
                    HasSubstr("thresholdsrc")));
  EXPECT_TRUE(left_nothing());
}

TEST_F(PreprocessCommand, FindsAnUnusableDestinationFirst) {
  EXPECT_EQ(run("--destdir train.de").code, kExitIo);
  EXPECT_EQ(run("--destdir train.de/below").code, kExitIo);
  EXPECT_EQ(run("--destdir /proc/out").code, kExitIo);
  EXPECT_TRUE(left_nothing());
}

TEST_F(PreprocessCommand, ReportsAReadErrorAsOne) {
  const Outcome outcome = run("", "PHRASEQ_FAILPOINT=line_reader.read:5");
  EXPECT_EQ(outcome.code, kExitIo);
  EXPECT_THAT(outcome.text, HasSubstr("train.de: cannot read: Input/output error"));
  EXPECT_TRUE(left_nothing());
}

TEST_F(PreprocessCommand, ReportsThatFileDescriptorsRanOut) {
  const Outcome outcome = run("", "exec 3>&-; ulimit -n 4;");
  EXPECT_NE(outcome.code, kExitOk);
  EXPECT_THAT(outcome.text, HasSubstr("Too many open files"));
  EXPECT_TRUE(left_nothing());
}

TEST_F(PreprocessCommand, ReportsThatTheDiskIsFull) {
  std::string text;
  for (int i = 0; i < 4'000; ++i) text += "some words of a text\n";
  write(text, text);
  const Outcome outcome = run("", "ulimit -f 16;");  // blocks: 8 KiB, or 16 in some shells
  EXPECT_EQ(outcome.code, kExitIo);
  EXPECT_THAT(outcome.text, HasSubstr("File too large"));
  EXPECT_TRUE(left_nothing());
}

TEST_F(PreprocessCommand, WritesTheSameBytesInAnySurroundings) {
  write("I \xC4\xB0 a 1,5\n", "x\n");
  ASSERT_EQ(run("--lowercase").code, kExitOk);
  const std::string dictionary = read_file(folder.file("out/dict.de.txt"));
  const std::string manifest = read_file(folder.file("out/manifest.json"));
  for (const char* surroundings :
       {"LC_ALL=tr_TR.UTF-8", "LC_ALL=de_DE.UTF-8", "LC_ALL=C TZ=Asia/Kolkata", "env -u HOME"}) {
    fs::remove_all(folder.file("out"));
    ASSERT_EQ(run("--lowercase", surroundings).code, kExitOk);
    EXPECT_EQ(read_file(folder.file("out/dict.de.txt")), dictionary) << surroundings;
    EXPECT_EQ(read_file(folder.file("out/manifest.json")), manifest) << surroundings;
  }
}

/// Starts the command and discards its output.
pid_t start(const TemporaryFolder& folder) {
  const pid_t child = ::fork();
  if (child != 0)
    return child;
  if (::chdir(folder.path().c_str()) != 0 || std::freopen("/dev/null", "w", stderr) == nullptr)
    ::_exit(99);
  ::execl(kProgram,
          kProgram,
          "-s",
          "de",
          "-t",
          "en",
          "--trainpref",
          "train",
          "--destdir",
          "out",
          nullptr);
  ::_exit(99);
}

/// Whether a system call changes files. Calls of other threads are not counted.
bool changes_files(long call) {
  constexpr std::array<long, 13> kCalls = {SYS_write,
                                           SYS_pwrite64,
                                           SYS_fsync,
                                           SYS_rename,
                                           SYS_renameat,
                                           SYS_renameat2,
                                           SYS_mkdir,
                                           SYS_mkdirat,
                                           SYS_unlink,
                                           SYS_unlinkat,
                                           SYS_rmdir,
                                           SYS_ftruncate,
                                           SYS_fallocate};
  return std::find(kCalls.begin(), kCalls.end(), call) != kCalls.end();
}

/// Runs the command and kills it before its `number`-th call that changes files; returns false if
/// it has fewer.
bool killed_before_call(const TemporaryFolder& folder,
                        int number,
                        const std::vector<const char*>& more) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<const char*> arguments = {kProgram,
                                          "-s",
                                          "de",
                                          "-t",
                                          "en",
                                          "--trainpref",
                                          "train",
                                          "--destdir",
                                          "out",
                                          "--workers",
                                          "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(nullptr);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    if (::chdir(folder.path().c_str()) != 0 || std::freopen("/dev/null", "w", stderr) == nullptr)
      ::_exit(99);
    ::execv(kProgram, const_cast<char* const*>(arguments.data()));
    ::_exit(99);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  int signal = 0;
  while (::ptrace(PTRACE_SYSCALL, child, nullptr, signal) == 0) {
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status))
      return false;
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = at_call ? 0 : WSTOPSIG(status);
    __ptrace_syscall_info info{};
    if (at_call && ::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0 &&
        info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_files(static_cast<long>(info.entry.nr)) &&
        --number < 0)
      break;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

/// Expects that every folder with data is whole, or rejected with a remedy.
void expect_whole_or_rejected(const TemporaryFolder& folder, int call) {
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (!entry.is_directory() || fs::is_empty(entry.path()) ||
        !fs::exists(entry.path() / "train.de-en.de.idx"))
      continue;
    try {
      const auto data = DataFolder::open(entry.path().string(), "de", "en");
      EXPECT_EQ(data.dataset("train", "de").size(), 2) << entry << " at call " << call;
      EXPECT_EQ(data.dataset("train", "en").size(), 2) << entry << " at call " << call;
      EXPECT_TRUE(fs::exists(entry.path() / kDataManifest)) << entry << " at call " << call;
    } catch (const FormatError& failure) {
      EXPECT_THAT(failure.hint(), HasSubstr("--overwrite")) << failure.what();
    }
  }
}

TEST_F(PreprocessCommand, KilledAtAnySystemCallLeavesNothingThatLooksWhole) {
  for (const bool over_older : {false, true}) {
    int call = 0;
    for (bool killed = true; killed; ++call) {
      fs::remove_all(folder.file("out"));
      if (over_older) {
        ASSERT_EQ(run().code, kExitOk);
      }
      killed = killed_before_call(folder, call, {"--overwrite"});
      expect_whole_or_rejected(folder, call);
    }
    EXPECT_GT(call, 30);
  }
  EXPECT_EQ(run("--overwrite").code, kExitOk);
  EXPECT_EQ(folder.entries(), 3U);  // the remains of the killed runs are gone
}

TEST_F(PreprocessCommand, KilledAtAnyTimeLeavesAWholeFolderOrNone) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "w" + std::to_string(i % 997) + " and some more words\n";
  write(text, text);
  std::minstd_rand random(7);
  int whole = 0;
  for (int round = 0; round < 25; ++round) {
    const pid_t child = start(folder);
    ::usleep(static_cast<useconds_t>(random() % 120'000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (!fs::exists(folder.file("out")))
      continue;
    ++whole;
    const auto data = DataFolder::open(folder.file("out"));
    EXPECT_EQ(data.dataset("train", "de").size(), 20'000);
    EXPECT_EQ(data.dataset("train", "en").size(), 20'000);
    fs::remove_all(folder.file("out"));
  }
  EXPECT_LT(whole, 25);
  EXPECT_EQ(run().code, kExitOk);
  EXPECT_EQ(folder.entries(), 3U);  // the remains of the killed runs are gone
}

}  // namespace
}  // namespace phraseq
