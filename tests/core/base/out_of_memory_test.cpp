#include "core/base/out_of_memory.h"

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(MeansOutOfMemory, KnowsTheTextsOfOtherLibraries) {
  EXPECT_TRUE(means_out_of_memory("DefaultCPUAllocator: can't allocate memory: you tried to"));
  EXPECT_TRUE(means_out_of_memory("CUDA out of memory. Tried to allocate 20.00 MiB"));
  EXPECT_TRUE(means_out_of_memory("std::bad_alloc"));
  EXPECT_TRUE(
      means_out_of_memory("cuModuleLoadData: the CUDA driver reports CUDA_ERROR_OUT_OF_MEMORY"));
  EXPECT_TRUE(means_out_of_memory(
      "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
  EXPECT_TRUE(means_out_of_memory("could not create a primitive"));
  EXPECT_TRUE(means_out_of_memory("could not create a memory object"));
  EXPECT_FALSE(means_out_of_memory(
      "could not create a primitive descriptor for the matmul primitive. Run workload with "
      "environment variable ONEDNN_VERBOSE=all to get additional diagnostic information."));
  EXPECT_FALSE(means_out_of_memory("index out of range in self"));
  EXPECT_FALSE(means_out_of_memory("could not create a directory"));
}

}  // namespace
}  // namespace phraseq
