#include "core/io/atomic_file.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/folders/staging_folder.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// Paths for which fsync was called, in order. The linker finds the fsync of this program before
/// that of the C library.
std::vector<std::string>& synced_paths() {
  static std::vector<std::string> paths;
  return paths;
}

std::string message_of_writing(const std::string& path, std::string_view text = "new") {
  return whole_message_of<IoError>([&] { write_file(path, text); });
}

TEST(AtomicFile, NeedsAName) { EXPECT_THROW(AtomicFile(""), UsageError); }

TEST(AtomicFile, ReplacesTheOldFileAtCommitAndNotBefore) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  AtomicFile file(path);
  file.write("ne");
  file.write("w");
  EXPECT_EQ(read_file(path), "old");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, IsNotThereWhenItIsFinishedButNotCommitted) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  synced_paths().clear();
  AtomicFile file(path);
  file.write("new");
  file.finish();
  EXPECT_EQ(synced_paths().size(), 1U);
  EXPECT_EQ(read_file(path), "old");
  file.commit();
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(synced_paths().size(), 2U);  // the folder; the file was not synced again
}

TEST(AtomicFile, SyncsTheFileBeforeTheRenameAndTheFolderAfterIt) {
  const TemporaryFolder folder;
  synced_paths().clear();
  write_file(folder.file("x"), "text");
  ASSERT_EQ(synced_paths().size(), 2U);
  EXPECT_THAT(synced_paths()[0], HasSubstr("/.x.tmp."));  // under its temporary name
  EXPECT_EQ(synced_paths()[1], fs::canonical(folder.path()).string());
}

TEST(StagingFolder, SyncsItselfAndTheFolderThatHoldsIt) {
  const TemporaryFolder folder;
  StagingFolder staging(folder.file("out"));
  write_file(staging.path() + "/a", "1");
  synced_paths().clear();
  staging.commit("a");
  const std::string parent = fs::canonical(folder.path()).string();
  EXPECT_THAT(synced_paths(), testing::ElementsAre(parent + "/out", parent));
}

TEST(AtomicFile, RemovesWhatAKilledWriterOfTheSameFileLeft) {
  const TemporaryFolder folder;
  const int status = in_child([&] {
    const ActiveFailpoint fault("atomic_file.fsync:kill");
    write_file(folder.file("x"), "1");
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 1U);
  write_file(folder.file("other"), "2");
  EXPECT_EQ(folder.entries(), 2U);  // not of this file
  write_file(folder.file("x"), "3");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"other", "x"}));
}

TEST(AtomicFile, KeepsWhatAnotherWriterHoldsOpen) {
  const TemporaryFolder folder;
  AtomicFile first(folder.file("x"));
  first.write("first");
  // A writer on another machine has no process here, but holds its lock.
  std::string temporary = folder.names().front();
  const size_t process = temporary.find(std::to_string(::getpid()));
  ASSERT_NE(process, std::string::npos);
  std::string foreign = temporary;
  foreign.replace(process, std::to_string(::getpid()).size(), "4194303");
  fs::rename(folder.file(temporary), folder.file(foreign));
  write_file(folder.file("x"), "second");
  EXPECT_TRUE(fs::exists(folder.file(foreign)));
  EXPECT_EQ(read_file(folder.file("x")), "second");
}

TEST(AtomicFile, AcceptsANameOfTheGreatestLength) {
  const TemporaryFolder folder;
  const std::string longest(255, 'x');
  write_file(folder.file(longest), "text");
  EXPECT_EQ(read_file(folder.file(longest)), "text");
  EXPECT_THAT(message_of_writing(folder.file(longest + "x")), HasSubstr("File name too long"));
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder.file("x"));
    file.write("text");
    EXPECT_EQ(folder.entries(), 1U);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(AtomicFile, WritesMoreThanItsBufferInOrder) {
  const TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder.file("x"), 3'300'007);
  for (const size_t size : {700'000, 700'001, 1'900'005, 1}) {
    const std::string piece(size, static_cast<char>('a' + expected.size() % 23));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_TRUE(read_file(folder.file("x")) == expected);
}

TEST(AtomicFile, WritesAPieceThatIsLargerThanItsBufferInOrder) {
  const TemporaryFolder folder;
  const std::string large(size_t{3} << 20, 'x');
  AtomicFile file(folder.file("x"));
  for (const std::string& piece : {std::string("before"), large, std::string("after")})
    file.write(piece);
  file.commit();
  EXPECT_TRUE(read_file(folder.file("x")) == "before" + large + "after");
}

TEST(AtomicFile, DropsReservedSpaceThatWasNotUsed) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("x"), 1000);
  file.write("seven b");
  file.commit();
  EXPECT_EQ(fs::file_size(folder.file("x")), 7U);
}

TEST(AtomicFile, WritesWhereASymbolicLinkLeads) {
  const TemporaryFolder folder;
  const auto real = folder.write("real", "old");
  fs::create_symlink("real", folder.file("link"));
  write_file(folder.file("link"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(real), "new");
  fs::create_symlink("later", folder.file("dangling"));
  write_file(folder.file("dangling"), "first");
  EXPECT_TRUE(fs::is_symlink(folder.file("dangling")));
  EXPECT_EQ(read_file(folder.file("later")), "first");
}

TEST(AtomicFile, RejectsFoldersAndSockets) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of_writing(folder.path()), HasSubstr("Is a directory"));
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_GE(descriptor, 0);
  EXPECT_THAT(message_of_writing("/dev/fd/" + std::to_string(descriptor)),
              AllOf(HasSubstr("/dev/fd/"), HasSubstr("not a regular file")));
  ::close(descriptor);
}

TEST(AtomicFile, WritesToADeviceDirectly) {
  synced_paths().clear();
  EXPECT_NO_THROW(check_target("/dev/null"));
  EXPECT_EQ(message_of_writing("/dev/null"), kNothingThrown);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(synced_paths().empty());
  EXPECT_THAT(message_of_writing("/dev/full"),
              HasSubstr("/dev/full: cannot write: No space left on device"));
}

TEST(AtomicFile, TheNewFileHasThePermissionsOfTheOldOne) {
  const TemporaryFolder folder;
  const std::string path = folder.file("private");
  write_file(path, "old");
  fs::permissions(path, fs::perms(0600));
  write_file(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0600));
}

TEST(AtomicFile, AnOpenDescriptorIsWrittenAndItsFileNotReplaced) {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(::write(descriptor, "before ", 7), 7);
  for (const char* folder_of_descriptors : {"/dev/fd", "/proc/self/fd"}) {
    const std::string name = folder_of_descriptors + ("/" + std::to_string(descriptor));
    EXPECT_NO_THROW(check_target(name));
    write_file(name, "result ");
  }
  ASSERT_EQ(::write(descriptor, "after", 5), 5);
  ::close(descriptor);
  EXPECT_EQ(read_file(path), "before result result after");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1);
}

TEST(AtomicFile, ADescriptorThatOnlyReadsIsRefusedAtOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("input");
  write_file(path, "text");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  EXPECT_THAT([&] { check_target("/dev/fd/" + std::to_string(descriptor)); },
              testing::ThrowsMessage<IoError>(HasSubstr("open for reading only")));
  ::close(descriptor);
}

TEST(AtomicFile, AResultOnStandardOutputNeedsNoFile) {
  EXPECT_NO_THROW(check_result_target("-"));
  EXPECT_NO_THROW(check_result_target(""));
  EXPECT_THROW(check_result_target("/dev/null/file"), IoError);
}

TEST(AtomicFile, WritesToAPipeDirectly) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);  // as /dev/stdout: a link to a pipe, which has no path
  const std::string path = "/dev/fd/" + std::to_string(pipe_ends[1]);
  check_target(path);
  EXPECT_EQ(message_of_writing(path, "text"), kNothingThrown);
  ::close(pipe_ends[1]);
  char text[16];
  EXPECT_EQ(::read(pipe_ends[0], text, sizeof text), 4);
  EXPECT_EQ(std::string_view(text, 4), "text");
  EXPECT_EQ(::read(pipe_ends[0], text, sizeof text), 0);
  ::close(pipe_ends[0]);
}

TEST(CheckNotAnInput, RejectsAnotherNameOfAnInputOnly) {
  const TemporaryFolder folder;
  write_file(folder.file("text"), "one\n");
  std::filesystem::create_symlink(folder.file("text"), folder.file("link"));
  EXPECT_THROW(check_not_an_input(folder.file("link"), {"-", folder.file("text")}), UsageError);
  EXPECT_NO_THROW(check_not_an_input(folder.file("new"), {folder.file("new"), ""}));
  EXPECT_NO_THROW(check_not_an_input("/dev/null", {"/dev/null"}));
}

TEST(AtomicFile, ReportsThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  const auto path = folder.file("none/x");
  EXPECT_THAT(message_of_writing(path),
              AllOf(HasSubstr(path + ": cannot create"), HasSubstr("No such file")));
}

struct Step {
  const char* failpoint;
  const char* message;
};

class FailingStep : public ::testing::TestWithParam<Step> {};

TEST_P(FailingStep, IsReportedAndTouchesNothing) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  std::string message;
  {
    const ActiveFailpoint fault(GetParam().failpoint);
    message = message_of_writing(path);
  }
  EXPECT_THAT(message, AllOf(HasSubstr(path), HasSubstr(GetParam().message)));
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    AtomicFile,
    FailingStep,
    testing::Values(Step{"atomic_file.reserve:28", "cannot reserve space: No space left on device"},
                    Step{"atomic_file.write:28", "cannot write: No space left on device"},
                    Step{"atomic_file.fsync:5", "cannot fsync: Input/output error"},
                    Step{"atomic_file.close:28", "cannot close: No space left on device"},
                    Step{"atomic_file.before_rename:13", "cannot rename: Permission denied"}));

TEST(AtomicFile, ReportsAFolderThatCannotBeSynced) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  const ActiveFailpoint fault("atomic_file.fsync_folder:5");
  EXPECT_THAT(message_of_writing(path), HasSubstr("fsync the folder"));
  EXPECT_EQ(read_file(path), "new");  // already renamed: a whole file in either case
}

TEST(AtomicFile, KilledAtAnyStepLeavesTheOldOrTheNewFileWhole) {
  for (const auto& [point, expected] : {std::pair{"atomic_file.reserve", "old"},
                                        {"atomic_file.write", "old"},
                                        {"atomic_file.fsync", "old"},
                                        {"atomic_file.close", "old"},
                                        {"atomic_file.before_rename", "old"},
                                        {"atomic_file.after_rename", "new"},
                                        {"atomic_file.fsync_folder", "new"}}) {
    const TemporaryFolder folder;
    const auto path = folder.write("x", "old");
    const int status = in_child([&] {
      const ActiveFailpoint fault((std::string(point) + ":kill").c_str());
      write_file(path, "new");
    });
    ASSERT_TRUE(WIFSIGNALED(status)) << point;
    EXPECT_EQ(read_file(path), expected) << point;
  }
}

TEST(AtomicFile, ReportsAFileSizeLimitAsAnError) {
  const TemporaryFolder folder;
  const auto path = folder.write("x", "old");
  for (const bool size_known : {true, false}) {
    const int status = in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{100'000, 100'000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      const std::string text(100'001, 'x');  // fails at the last byte
      AtomicFile file(path, size_known ? std::optional<uint64_t>(text.size()) : std::nullopt);
      file.write(text);
      file.commit();
    });
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), kExitIo);
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(folder.entries(), 1U);
  }
}

TEST(RemoveStaleTemporaries, RemovesWhatADeadProcessLeftAndNothingElse) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  folder.write("x", "kept");
  folder.write(".hidden.tmp.txt", "kept");
  write_file(temporary_name(folder.file("y")), "kept: its process lives");
  const int status = in_child([&] {
    const ActiveFailpoint fault("atomic_file.before_rename:kill");
    write_file(folder.file("z"), "left over");
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 4U);
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 1);
  EXPECT_EQ(folder.entries(), 3U);
}

/// On a folder that several machines share, a process of another one cannot be asked.
TEST(RemoveStaleTemporaries, KeepsWhatAnotherMachineWrites) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  std::string path = temporary_name_of(999999999, folder.file("y"));
  char& of_host = path[path.size() - 12];
  of_host = of_host == '0' ? '1' : '0';
  write_file(path, "kept: its process may live");
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 0);
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 1);
}

TEST(RemoveStaleTemporaries, RemovesWhatIsOlderThanADay) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  const std::string path = temporary_name(folder.file("y"));
  write_file(path, "old");
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(remove_stale_temporaries(folder.path()), 1);
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(RemoveStaleTemporaries, FindsNothingInAFolderThatIsNotThere) {
  EXPECT_EQ(remove_stale_temporaries("/nowhere/at/all"), 0);
}

}  // namespace
}  // namespace phraseq

extern "C" __attribute__((visibility("default"))) int fsync(int descriptor) {
  std::error_code unknown;
  phraseq::synced_paths().push_back(
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), unknown)
          .string());
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
