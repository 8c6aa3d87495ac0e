// What LibTorch asks about a kind of device: how many there are, which one is current, its streams
// and events. The emulated GPU computes at once, so that there is nothing to wait for.

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tests/emulated_gpu/device_memory.h"
#include "tests/emulated_gpu/pinned_memory.h"
#include "tests/emulated_gpu/transfers.h"

namespace phraseq::emulated_gpu {
namespace {

const c10::Device kOnly{c10::kCUDA, 0};

struct EmulatedGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::kCUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    setDevice(device);
    return kOnly;
  }
  c10::Device getDevice() const override { return kOnly; }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() <= 0, "CUDA error: invalid device ordinal");
  }
  void uncheckedSetDevice(c10::Device /*device*/) const noexcept override {}
  c10::Stream getStream(c10::Device /*device*/) const override {
    return c10::Stream(c10::Stream::DEFAULT, kOnly);
  }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool /*urgent*/) const override {
    return getStream(device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void** /*event*/,
              const c10::Stream& /*stream*/,
              c10::DeviceIndex /*device*/,
              c10::EventFlag /*flag*/) const override {}
  void block(void* /*event*/, const c10::Stream& /*stream*/) const override {}
  bool queryEvent(void* /*event*/) const override {
    finish_copies();
    return true;
  }
  bool queryStream(const c10::Stream& /*stream*/) const override { return queryEvent(nullptr); }
  void synchronizeStream(const c10::Stream& /*stream*/) const override { finish_copies(); }
  void synchronizeEvent(void* /*event*/) const override { finish_copies(); }
  void synchronizeDevice(c10::DeviceIndex /*device*/) const override { finish_copies(); }
};
C10_REGISTER_GUARD_IMPL(CUDA, EmulatedGuard)

}  // namespace
}  // namespace phraseq::emulated_gpu

namespace at {

/// LibTorch looks for the hooks in this namespace and under this name.
struct CUDAHooks final : CUDAHooksInterface {
  explicit CUDAHooks(CUDAHooksArgs /*unused*/) {}
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasCUDA() const override { return true; }
  int getNumGPUs() const override { return 1; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex current_device() const override { return 0; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(DeviceIndex /*device*/) const override {}
  DeviceIndex exchangeDevice(DeviceIndex /*device*/) const override { return 0; }
  DeviceIndex maybeExchangeDevice(DeviceIndex /*device*/) const override { return 0; }
  bool hasPrimaryContext(DeviceIndex /*device*/) const override { return true; }
  void deviceSynchronize(DeviceIndex /*device*/) const override {
    phraseq::emulated_gpu::finish_copies();
  }
  const Generator& getDefaultGenerator(DeviceIndex /*device*/) const override {
    return globalContext().defaultGenerator(kCPU);  // operators run on the CPU
  }
  Allocator* getPinnedMemoryAllocator() const override {
    return &phraseq::emulated_gpu::pinned_allocator();
  }
  bool isPinnedPtr(const void* data) const override {
    return phraseq::emulated_gpu::is_pinned(data);
  }
  Allocator* getCUDADeviceAllocator() const override {
    return &phraseq::emulated_gpu::device_allocator();
  }
};
REGISTER_CUDA_HOOKS(CUDAHooks)

}  // namespace at
