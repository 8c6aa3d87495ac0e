#include "core/convert/export_folder.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using Names = std::vector<std::string>;

void export_to(const std::string& path) {
  ExportFolder exported(path);
  exported.write("model", "1");
  exported.commit("model");
}

TEST(ExportFolder, AcceptsOnlyAnEmptyFolder) {
  const TemporaryFolder folder;
  export_to(folder.path());
  EXPECT_EQ(folder.names(), Names{"model"});
  EXPECT_THROW(export_to(folder.path()), UsageError);
  EXPECT_THROW(export_to(folder.file("model")), UsageError);
}

TEST(ExportFolder, TakesAFolderInWhichAnExportWasKilled) {
  set_log_quiet(true);
  const TemporaryFolder folder;
  const int status = in_child([&] {
    const ActiveFailpoint fault("staging_folder.before_rename:kill");
    export_to(folder.path());
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(folder.entries(), 1U);
  export_to(folder.path());
  EXPECT_EQ(folder.names(), Names{"model"});
}

}  // namespace
}  // namespace phraseq
