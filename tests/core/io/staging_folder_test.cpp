#include "core/io/folders/staging_folder.h"

#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/file.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

TEST(StagingFolder, AppearsWholeWhereNothingWas) {
  const TemporaryFolder folder;
  StagingFolder staging(folder.file("new/out/"));
  write_file(staging.path() + "/a", "1");
  EXPECT_FALSE(fs::exists(folder.file("new/out")));
  staging.commit("a");
  EXPECT_EQ(read_file(folder.file("new/out/a")), "1");
}

TEST(StagingFolder, NeedsAName) {
  EXPECT_THROW(make_folders(""), UsageError);
  EXPECT_THROW(StagingFolder(""), UsageError);
}

TEST(StagingFolder, MovesIntoAFolderThatIsThereAndKeepsOtherFiles) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("out"));
  folder.write("out/mine", "kept");
  folder.write("out/a", "old");
  StagingFolder staging(folder.file("out"));
  write_file(staging.path() + "/a", "new");
  write_file(staging.path() + "/seal", "2");
  staging.commit("seal");
  EXPECT_EQ(read_file(folder.file("out/a")), "new");
  EXPECT_EQ(read_file(folder.file("out/mine")), "kept");
  EXPECT_EQ(read_file(folder.file("out/seal")), "2");
  EXPECT_EQ(folder.entries(), 1U);
}

/// Commits a file "a" to `destination`.
void stage_into(const std::string& destination) {
  StagingFolder staging(destination);
  write_file(staging.path() + "/a", "1");
  staging.commit("a");
}

TEST(StagingFolder, MovesIntoTheTargetOfALink) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("disk"));
  fs::create_directory_symlink(folder.file("disk"), folder.file("link"));
  fs::create_directory_symlink(folder.file("missing"), folder.file("dangling"));
  stage_into(folder.file("link"));
  stage_into(folder.file("dangling"));
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(read_file(folder.file("disk/a")), "1");
  EXPECT_TRUE(fs::is_symlink(folder.file("dangling")));
  EXPECT_EQ(read_file(folder.file("missing/a")), "1");
  EXPECT_EQ(folder.entries(), 4U);
}

TEST(MakeFolders, MakesWhatADanglingLinkNames) {
  const TemporaryFolder folder;
  fs::create_symlink("there", folder.file("link"));
  make_folders(folder.file("link"));
  EXPECT_TRUE(fs::is_directory(folder.file("there")));
}

TEST(MakeFolders, MakesWhatADanglingLinkWithASlashNames) {
  const TemporaryFolder folder;
  fs::create_symlink("there", folder.file("link"));
  make_folders(folder.file("link/"));
  EXPECT_TRUE(fs::is_directory(folder.file("there")));
}

TEST(NewFolders, RemovesTheFolderThatALinkNamesAndKeepsTheLink) {
  const TemporaryFolder folder;
  fs::create_symlink("outer/inner", folder.file("link"));
  {
    const NewFolders made(folder.file("link"));
    EXPECT_TRUE(fs::is_directory(folder.file("outer/inner")));
  }
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_FALSE(fs::exists(folder.file("outer")));
}

TEST(StagingFolder, WaitsWhileAnotherProcessMovesItsFiles) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("out"));
  StagingFolder staging(folder.file("out"));
  write_file(staging.path() + "/a", "1");
  const int other = ::open(folder.file("out").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  std::thread committing([&] { staging.commit("a"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(fs::exists(folder.file("out/a")));
  ::close(other);
  committing.join();
  EXPECT_EQ(read_file(folder.file("out/a")), "1");
}

TEST(StagingFolder, MovesIntoTheCurrentFolder) {
  const TemporaryFolder folder;
  const int status = in_child([&] {
    fs::current_path(folder.path());
    stage_into(".");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a"}));
}

TEST(StagingFolder, KeepsAnEmptyFolderThatIsThere) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("out"));
  fs::permissions(folder.file("out"), fs::perms::owner_all);
  stage_into(folder.file("out"));
  EXPECT_EQ(fs::status(folder.file("out")).permissions(), fs::perms::owner_all);
}

TEST(StagingFolder, RemovesWhatAKilledRunLeftInAFolder) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  const int status = in_child([&] {
    const ActiveFailpoint fault("staging_folder.before_rename:kill");
    stage_into(folder.path());
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 1U);
  stage_into(folder.path());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a"}));
}

TEST(StagingFolder, VanishesWithoutCommit) {
  const TemporaryFolder folder;
  { const StagingFolder staging(folder.file("out")); }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(StagingFolder, RemovesWhatAKilledRunLeft) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  const int status = in_child([&] {
    const ActiveFailpoint fault("staging_folder.before_rename:kill");
    StagingFolder staging(folder.file("out"));
    write_file(staging.path() + "/a", "1");
    staging.commit("a");
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_FALSE(fs::exists(folder.file("out")));
  { const StagingFolder staging(folder.file("out")); }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(StagingFolder, KeepsWhatAnotherRunHasBeenWritingForMoreThanADay) {
  const TemporaryFolder folder;
  StagingFolder slow(folder.file("out"));
  write_file(slow.path() + "/a", "1");
  fs::last_write_time(slow.path(), fs::file_time_type::clock::now() - std::chrono::hours(25));
  { const StagingFolder other(folder.file("out")); }
  slow.commit("a");
  EXPECT_EQ(read_file(folder.file("out/a")), "1");
}

TEST(StagingFolder, RejectsADestinationThatIsAFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(StagingFolder{folder.write("out", "")}, IoError);
  EXPECT_THROW(StagingFolder{folder.file("out/below")}, IoError);
}

TEST(MappedFile, HoldsTheBytesOfAFile) {
  const TemporaryFolder folder;
  const MappedFile file(folder.write("x", "abc"));
  ASSERT_EQ(file.size(), 3U);
  EXPECT_EQ(file.bytes()[1], std::byte{'b'});
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
  EXPECT_THROW(MappedFile(folder.file("none")), IoError);
  EXPECT_THROW(MappedFile{folder.path()}, IoError);
}

}  // namespace
}  // namespace phraseq
