#include "core/io/folders/scratch_folder.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace phraseq {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

/// Sets an environment variable to another value while the object lives.
class OtherValue {
 public:
  OtherValue(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name))
      before_ = before;
    ::setenv(name, value, 1);
  }
  ~OtherValue() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  OtherValue(const OtherValue&) = delete;
  OtherValue& operator=(const OtherValue&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(ScratchFolder, IgnoresAnEmptyTmpdir) {
  const OtherValue tmpdir("TMPDIR", ""), tmp("TMP", "/nonexistent");
  EXPECT_EQ(folder_for_temporary_files(), "/tmp");
  EXPECT_EQ(ScratchFolder("trial").path().rfind("/tmp/phraseq-trial-", 0), 0U);
}

TEST(ScratchFolder, NamesTheRemedyWhereItCannotBeCreated) {
  for (const char* folder : {"/nonexistent", "/dev/null", "/proc"}) {
    const OtherValue tmpdir("TMPDIR", folder);
    try {
      const ScratchFolder scratch("trial");
      ADD_FAILURE() << folder;
    } catch (const IoError& failure) {
      EXPECT_THAT(failure.what(), HasSubstr(fmt::format("temporary files, '{}'", folder)));
      EXPECT_THAT(failure.hint(), HasSubstr("TMPDIR"));
    }
  }
}

TEST(ScratchFolder, IsANewOneEachTime) {
  const ScratchFolder one("trial"), other("trial");
  EXPECT_NE(one.path(), other.path());
}

}  // namespace
}  // namespace phraseq
