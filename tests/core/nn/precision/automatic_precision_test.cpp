#include "core/nn/precision/automatic_precision.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace phraseq::nn {
namespace {

/// The processor flags that Linux lists; empty on processors other than x86.
std::string processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) == 0)
      return line + " ";
  }
  return {};
}

TEST(AutomaticPrecision, OfAProcessorIsBf16WhereLinuxListsTheInstructions) {
  const bool has_bf16 = processor_flags().find(" avx512_bf16 ") != std::string::npos;
  const PrecisionChoice choice = automatic_precision(c10::Device(c10::kCPU));
  EXPECT_EQ(choice.precision, has_bf16 ? Precision::kBf16 : Precision::kFp32);
  EXPECT_EQ(choice.reason,
            has_bf16 ? "the processor has avx512_bf16" : "the processor has no avx512_bf16");
}

TEST(AutomaticPrecision, OfAnUnknownGpuIsFp32) {
  const PrecisionChoice choice = automatic_precision(c10::Device(c10::kCUDA, 99));
  EXPECT_EQ(choice.precision, Precision::kFp32);
  EXPECT_NE(choice.reason.find("compute capability below 8.0"), std::string::npos) << choice.reason;
}

}  // namespace
}  // namespace phraseq::nn
