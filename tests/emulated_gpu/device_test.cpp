// The emulated GPU is as strict as a real one.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/variable.h>

#include "core/data/device/to_device.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq::emulated_gpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Property;
using ::testing::ThrowsMessage;

at::Tensor numbers(int64_t count) { return at::arange(count, at::kDouble).to(at::kCUDA); }

TEST(EmulatedGpu, IsTheOnlyGpu) {
  EXPECT_TRUE(at::hasCUDA());
  EXPECT_EQ(numbers(3).device(), at::Device(at::kCUDA, 0));
}

TEST(EmulatedGpu, ComputesAsTheCpu) {
  const at::Tensor x = at::randn({5, 7}, at::kDouble), w = at::randn({7, 3}, at::kDouble);
  const auto f = [](const at::Tensor& a, const at::Tensor& b) {
    return at::log_softmax(at::matmul(a, b).tanh(), -1).slice(0, 1, 4).transpose(0, 1).cumsum(1);
  };
  EXPECT_TRUE(f(x.to(at::kCUDA), w.to(at::kCUDA)).cpu().equal(f(x, w)));
}

TEST(EmulatedGpu, GivesTheGradientsOfTheCpu) {
  const at::Tensor x = at::randn({6, 4}, at::kDouble);
  const auto gradient = [&](at::Device device) {
    const at::Tensor leaf = x.to(device, at::kDouble, false, /*copy=*/true).requires_grad_();
    leaf.index_select(0, at::tensor({0, 2, 2}, at::kLong).to(device)).pow(3).sum().backward();
    return leaf.grad().cpu();
  };
  EXPECT_TRUE(gradient(at::kCUDA).equal(gradient(at::kCPU)));
}

TEST(EmulatedGpu, ChangesWhatAViewShows) {
  const at::Tensor whole = numbers(6), part = whole.view({2, 3}).select(1, 1);
  part.mul_(10);
  whole.narrow(0, 5, 1).fill_(-1);
  EXPECT_TRUE(whole.cpu().equal(at::tensor({0., 10., 2., 3., 40., -1.}, at::kDouble)));
  EXPECT_TRUE(part.cpu().equal(at::tensor({10., 40.}, at::kDouble)));
}

TEST(EmulatedGpu, GrowsAResult) {
  at::Tensor out = at::empty({0}, at::TensorOptions(at::kCUDA).dtype(at::kDouble));
  at::cat_out(out, {numbers(3), numbers(2)});
  EXPECT_TRUE(out.cpu().equal(at::tensor({0., 1., 2., 0., 1.}, at::kDouble)));
}

TEST(EmulatedGpuDeathTest, HasMemoryThatTheHostCannotRead) {
  const at::Tensor x = numbers(3);
  EXPECT_DEATH(std::exit(static_cast<int>(x.data_ptr<double>()[1])), "");
}

TEST(EmulatedGpu, RejectsTensorsOfTwoDevices) {
  const at::Tensor x = numbers(3), host = at::ones(3, at::kDouble);
  const auto message = ThrowsMessage<c10::Error>(HasSubstr("to be on the same device"));
  EXPECT_THAT([&] { at::add(x, host); }, message);
  EXPECT_THAT([&] { at::cat({x, host}); }, message);
  EXPECT_THAT([&] { x.index_select(0, at::zeros(2, at::kLong)); }, message);
  EXPECT_TRUE((x + at::scalar_tensor(1, at::kDouble)).cpu().equal(at::arange(1, 4, at::kDouble)));
}

TEST(EmulatedGpu, CopiesToTheHostArriveWhenItWaits) {
  const at::Tensor host = numbers(3).to(at::kCPU, /*non_blocking=*/true);
  EXPECT_TRUE(host.isnan().all().item<bool>());
  c10::Event copied(at::kCUDA);
  copied.record(c10::impl::VirtualGuardImpl(at::kCUDA).getStream({at::kCUDA, 0}));
  EXPECT_TRUE(host.isnan().all().item<bool>());
  copied.synchronize();
  EXPECT_TRUE(host.equal(at::arange(3, at::kDouble)));
}

/// A test with the lines that were added to the file of waits.
class WaitsOfTheEmulatedGpu : public ::testing::Test {
 protected:
  WaitsOfTheEmulatedGpu() { setenv("PHRASEQ_EMULATED_GPU_WAITS", path_.c_str(), 1); }
  ~WaitsOfTheEmulatedGpu() override { unsetenv("PHRASEQ_EMULATED_GPU_WAITS"); }

  std::vector<std::string> waits() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("waits");
};

TEST_F(WaitsOfTheEmulatedGpu, AreNotedForCopiesOfMemoryThatIsNotPinned) {
  const at::Tensor host = at::arange(3, at::kDouble);
  (void)host.to(at::kCUDA);
  (void)host.to(at::kCUDA, /*non_blocking=*/true);
  (void)host.pin_memory().to(at::kCUDA);
  (void)host.pin_memory().to(at::kCUDA, at::kFloat, /*non_blocking=*/true);
  EXPECT_THAT(
      waits(),
      ElementsAre(HasSubstr("copy"), HasSubstr("copy"), HasSubstr("copy"), HasSubstr("copy")));
}

TEST_F(WaitsOfTheEmulatedGpu, AreNotNotedForPinnedMemory) {
  const at::Tensor host = at::arange(3, at::kDouble);
  EXPECT_FALSE(host.is_pinned());
  EXPECT_TRUE(host.pin_memory().is_pinned());
  EXPECT_TRUE(host.pin_memory().to(at::kCUDA, /*non_blocking=*/true).is_cuda());
  EXPECT_TRUE(to_device(host, at::kCUDA).is_cuda());
  EXPECT_TRUE(to_device(std::vector<int64_t>{4, 5}, at::kCUDA).is_cuda());
  EXPECT_TRUE(to_device(at::empty({0}), at::kCUDA).is_cuda());
  EXPECT_THAT(waits(), IsEmpty());
}

}  // namespace
}  // namespace phraseq::emulated_gpu
