#include "core/io/folders/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/io/atomic_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolder, IsRemovedWithItsContents) {
  std::string path;
  {
    const ScratchFolder folder("trial");
    path = folder.path();
    EXPECT_NE(path.find("/phraseq-trial-"), std::string::npos);
    write_file(folder.file("a"), "1");
    EXPECT_TRUE(fs::exists(path + "/a"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, TakesAnEmptyTmpdirForNone) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(ScratchFolder("trial").path().rfind("/tmp/phraseq-trial-", 0), 0U);
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

TEST(ScratchFolder, IsANewOneEachTime) {
  const ScratchFolder one("trial"), other("trial");
  EXPECT_NE(one.path(), other.path());
}

}  // namespace
}  // namespace phraseq
