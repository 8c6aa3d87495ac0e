// The form at / in a browser, if one is installed.

#include <gtest/gtest.h>

#include "tests/sdk/shell.h"
#include "tests/serve/server.h"

namespace phraseq::serve_test {
namespace {

constexpr int kNoBrowser = 77;

TEST_F(ServeTest, HasAFormThatWorksInABrowser) {
  start("--beam 4");
  const auto outcome =
      sdk::shell("cd " + workspace().path("") + " && python3 -B " +
                 PHRASEQ_SOURCE_FOLDER "/tests/serve/check_form.py http://127.0.0.1:" +
                 std::to_string(port()) + " 'one two three'");
  if (outcome.code == kNoBrowser)
    GTEST_SKIP() << outcome.text;
  EXPECT_EQ(outcome.code, 0) << outcome.text;
}

}  // namespace
}  // namespace phraseq::serve_test
