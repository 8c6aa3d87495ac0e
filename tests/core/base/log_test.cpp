#include "core/base/log.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

using testing::MatchesRegex;

TEST(Log, WritesToStandardErrorAndKeepsWarningsWhenQuiet) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  log_info("one {} two");  // braces are text
  set_log_quiet(true);
  log_info("unheard");
  log_warning("three");
  log_error("four");
  set_log_quiet(false);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              MatchesRegex("..:..:.. \\| info \\| one \\{\\} two\n..:..:.. \\| warning \\| three\n"
                           "..:..:.. \\| error \\| four\n"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Log, AppendsToAFileWithTheDate) {
  const TemporaryFolder folder;
  const std::string path = folder.write("log.txt", "before\n");
  add_log_file(path);
  testing::internal::CaptureStderr();
  log_info("after");
  testing::internal::GetCapturedStderr();
  std::ifstream stream(path);
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(content, MatchesRegex("before\n....-..-.. ..:..:.. \\| info \\| after\n"));
}

TEST(Log, ReportsThatAFileCannotBeOpened) {
  EXPECT_THROW(add_log_file("/proc/nowhere/log.txt"), IoError);
}

}  // namespace
}  // namespace phraseq
