#include "tests/emulated_gpu/device_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/Exception.h>

namespace phraseq::emulated_gpu {
namespace {

using c10::CachingDeviceAllocator::DeviceStats;

/// Added to host addresses. On x86-64 and AArch64, no process has memory there.
constexpr uintptr_t kOffset = uintptr_t{1} << 56;
const c10::Device kDevice{c10::kCUDA, 0};
constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

void* device_address(const void* host) {
  return host == nullptr ? nullptr
                         : reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(host) + kOffset);
}

int64_t capacity() {
  const char* const megabytes = std::getenv("PHRASEQ_EMULATED_GPU_MB");
  return (megabytes == nullptr ? int64_t{4096} : std::stoll(megabytes)) << 20;
}

class EmulatedAllocator final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    count(static_cast<int64_t>(bytes));
    c10::DataPtr host = c10::GetCPUAllocator()->allocate(bytes);
    void* const address = device_address(host.get());
    auto block = std::make_unique<Block>(Block{std::move(host), this, static_cast<int64_t>(bytes)});
    return {address, block.release(), &free_block, kDevice};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    default_copy_data(host_address(to), host_address(from), bytes);
  }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t /*pool*/) override {}
  void recordStream(const c10::DataPtr& /*memory*/, c10::Stream /*stream*/) override {}
  DeviceStats getDeviceStats(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    DeviceStats stats;
    for (auto* kind : {&stats.allocated_bytes, &stats.reserved_bytes}) {
      (*kind)[kAll].current = in_use_;
      (*kind)[kAll].peak = peak_;
    }
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex /*device*/) override {}
  void resetPeakStats(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    peak_ = in_use_;
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex /*device*/) override {
    const std::lock_guard lock(mutex_);
    return {static_cast<size_t>(capacity_ - in_use_), static_cast<size_t>(capacity_)};
  }

 private:
  struct Block {
    c10::DataPtr host;
    EmulatedAllocator* owner;
    int64_t bytes;
  };

  static void free_block(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    const std::lock_guard lock(block->owner->mutex_);
    block->owner->in_use_ -= block->bytes;
  }

  void count(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    TORCH_CHECK_WITH(OutOfMemoryError,
                     in_use_ + bytes <= capacity_,
                     "CUDA out of memory. Tried to allocate ",
                     bytes,
                     " bytes on the emulated GPU.");
    in_use_ += bytes;
    peak_ = std::max(peak_, in_use_);
  }

  std::mutex mutex_;
  int64_t capacity_ = capacity();
  int64_t in_use_ = 0, peak_ = 0;
};

EmulatedAllocator allocator;
const c10::AllocatorRegisterer<c10::kCUDA> registered(&allocator);

void release_storage(void* storage) { delete static_cast<c10::Storage*>(storage); }

/// A storage with the bytes of `storage` at `address`, for tensors of the other device; it keeps
/// `storage` alive.
c10::Storage shared_storage(const c10::Storage& storage, void* address, c10::Device device) {
  auto* const kept = new c10::Storage(storage);
  return c10::Storage(c10::Storage::use_byte_size_t(),
                      storage.nbytes(),
                      c10::DataPtr(address, kept, &release_storage, device),
                      c10::GetAllocator(device.type()),
                      /*resizable=*/true);
}

at::Tensor with_storage(const at::Tensor& like, c10::Storage storage, c10::DispatchKey backend) {
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(backend), like.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(
      like.sizes(), like.strides(), like.storage_offset());
  if (like.unsafeGetTensorImpl()->is_wrapped_number())
    made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

}  // namespace

void* host_address(const void* device) {
  return device == nullptr ? nullptr
                           : reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(device) - kOffset);
}

c10::DeviceAllocator& device_allocator() { return allocator; }

at::Tensor on_host(const at::Tensor& device) {
  const c10::Storage& storage = device.storage();
  return with_storage(device,
                      shared_storage(storage, host_address(storage.data()), c10::kCPU),
                      c10::DispatchKey::CPU);
}

at::Tensor on_device(const at::Tensor& host) {
  const c10::Storage& storage = host.storage();
  return with_storage(host,
                      shared_storage(storage, device_address(storage.data()), kDevice),
                      c10::DispatchKey::CUDA);
}

void take_shape(const at::Tensor& device, const at::Tensor& host) {
  if (host_address(device.storage().data()) != host.storage().data()) {
    const c10::Storage grown =
        shared_storage(host.storage(), device_address(host.storage().data()), kDevice);
    device.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(
        std::move(grown.unsafeGetStorageImpl()->mutable_data_ptr()));
    device.storage().set_nbytes(host.storage().nbytes());
  }
  if (device.sizes() != host.sizes() || device.strides() != host.strides())
    device.unsafeGetTensorImpl()->set_sizes_and_strides(
        host.sizes(), host.strides(), host.storage_offset());
}

}  // namespace phraseq::emulated_gpu
