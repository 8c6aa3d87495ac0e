#include "core/translate/operator_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/base/few_threads.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RequiredThreads, AreThereWithoutALimit) {
  EXPECT_NO_THROW(require_threads(0));
  EXPECT_NO_THROW(require_threads(8));
}

TEST(RequiredThreads, AreAnErrorIfTheSystemDoesNotStartThem) {
  try {
    const FewThreads limit;
    require_threads(64);
    FAIL() << "64 threads were started";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), kExitIo);
    EXPECT_THAT(
        error.what(),
        AllOf(
            HasSubstr("cannot start 64 threads"), HasSubstr("--threads"), HasSubstr("ulimit -u")));
  }
}

}  // namespace
}  // namespace phraseq
