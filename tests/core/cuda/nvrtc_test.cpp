#include "core/cuda/nvrtc.h"

#include <cstdio>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace phraseq::cuda {
namespace {

/// Built from tests/fake_nvrtc.
std::string fake_library() { return PHRASEQ_BUILD_FOLDER "/tests/fake_nvrtc/libnvrtc.so.97"; }

TEST(NvrtcOfAWheel, IsOpenedByItsPath) {
  const auto nvrtc = Nvrtc::open(fake_library());
  ASSERT_NE(nvrtc, nullptr);
  EXPECT_EQ(nvrtc->version(), "97.1");
  EXPECT_EQ(Nvrtc::open("/no/such/libnvrtc.so.13"), nullptr);
}

TEST(NvrtcOfAWheel, KnowsItsArchitectures) {
  const auto nvrtc = Nvrtc::open(fake_library());
  ASSERT_NE(nvrtc, nullptr);
  EXPECT_TRUE(nvrtc->supports("sm_90"));
  EXPECT_FALSE(nvrtc->supports("sm_9"));
  EXPECT_FALSE(nvrtc->supports("sm_120"));
}

TEST(NvrtcOfAWheel, IsFoundWhereTheEnvironmentSays) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process looks for the library only once
  const auto find = [] {
    setenv("PHRASEQ_NVRTC", "/no/such/libnvrtc.so.13", 1);
    (void)Nvrtc::find();
  };
  EXPECT_EXIT(
      {
        try {
          find();
        } catch (const UsageError& error) {
          std::fputs(error.what(), stderr);
          std::exit(kExitUsage);
        }
      },
      ::testing::ExitedWithCode(kExitUsage),
      "PHRASEQ_NVRTC: cannot load the library: /no/such/libnvrtc.so.13");
}

TEST(NvrtcOfAWheel, FindsItsSecondLibraryInItsFolder) {
  const auto nvrtc = Nvrtc::open(fake_library());
  ASSERT_NE(nvrtc, nullptr);
  EXPECT_EQ(nvrtc->compile("source", "a.cu", "sm_90", {"-DX=1"}),
            "--gpu-architecture=sm_90\n--std=c++17\n-DX=1\n");
}

}  // namespace
}  // namespace phraseq::cuda
