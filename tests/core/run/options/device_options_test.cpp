#include "core/run/options/device_options.h"

#include <string>
#include <vector>

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/options/command_line.h"

namespace phraseq {
namespace {

DeviceOptions parsed(const std::vector<std::string>& arguments) {
  DeviceOptions options;
  OptionTable table;
  options.describe(table);
  parse_command_line(table, arguments);
  return options;
}

TEST(DeviceOptions, ChooseTheCpuByEitherOption) {
  EXPECT_TRUE(parsed({"--cpu"}).chosen().is_cpu());
  EXPECT_TRUE(parsed({"--device", "cpu"}).chosen().is_cpu());
  // --cpu also overrides a --config file.
  EXPECT_TRUE(parsed({"--device", "cuda", "--cpu"}).chosen().is_cpu());
}

TEST(DeviceOptions, ChooseTheGpuByDefaultIfThereIsOne) {
  EXPECT_EQ(parsed({}).chosen().is_cuda(), at::hasCUDA());
}

TEST(DeviceOptions, RejectCudaOnAMachineWithoutIt) {
  if (at::hasCUDA())
    EXPECT_TRUE(parsed({"--device", "cuda"}).chosen().is_cuda());
  else
    EXPECT_THROW((void)parsed({"--device", "cuda"}).chosen(), UsageError);
}

TEST(DeviceOptions, RejectAnUnknownDevice) {
  EXPECT_THROW((void)parsed({"--device", "tpu"}), UsageError);
}

}  // namespace
}  // namespace phraseq
