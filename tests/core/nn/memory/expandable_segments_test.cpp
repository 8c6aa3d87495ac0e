#include "core/nn/memory/expandable_segments.h"

#include <cstdlib>

#include <c10/core/AllocatorConfig.h>
#include <gtest/gtest.h>

namespace phraseq::nn {
namespace {

bool are_expandable() {
  return c10::CachingAllocator::AcceleratorAllocatorConfig::use_expandable_segments();
}

class ExpandableSegments : public ::testing::Test {
 protected:
  ExpandableSegments() { forget(); }
  ~ExpandableSegments() override {
    forget();
    c10::CachingAllocator::setAllocatorSettings("expandable_segments:False");
  }
  static void forget() {
    unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    unsetenv("PYTORCH_ALLOC_CONF");
  }
};

TEST_F(ExpandableSegments, AreTheDefault) {
  EXPECT_FALSE(are_expandable());
  EXPECT_TRUE(use_expandable_segments());
  EXPECT_TRUE(are_expandable());
  EXPECT_STREQ(std::getenv("PYTORCH_CUDA_ALLOC_CONF"), "expandable_segments:True");
}

TEST_F(ExpandableSegments, LeaveWhatTheUserSets) {
  for (const char* name : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"}) {
    forget();
    setenv(name, "max_split_size_mb:512", 1);
    EXPECT_FALSE(use_expandable_segments()) << name;
    EXPECT_FALSE(are_expandable()) << name;
    EXPECT_STREQ(std::getenv(name), "max_split_size_mb:512");
  }
}

}  // namespace
}  // namespace phraseq::nn
