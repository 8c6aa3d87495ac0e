#include "core/base/memory/available_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/core/io/child_process.h"

namespace phraseq {
namespace {

TEST(AvailableMemory, IsWithinTheLimitsOfTheProcess) {
  constexpr rlim_t kLimit = rlim_t{1} << 30;
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    const int status = in_child([&] {
      const rlimit limit{kLimit, kLimit};
      ::setrlimit(resource, &limit);
      ::_exit(available_memory() < kLimit ? 0 : 1);
    });
    EXPECT_EQ(status, 0) << resource;
  }
}

}  // namespace
}  // namespace phraseq
