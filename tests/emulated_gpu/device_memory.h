#pragma once

// The memory of the emulated GPU: host memory under addresses that the host cannot read. Code that
// forgets to copy a tensor to the host, or passes its address to a kernel of the CPU, is stopped by
// the processor, as with a real GPU.

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>

namespace phraseq::emulated_gpu {

/// The host address of the memory behind a device address. tests/fake_cuda calls it, too.
[[gnu::visibility("default")]] void* host_address(const void* device);

c10::DeviceAllocator& device_allocator();

/// The same memory as a tensor of the other side. A view on the host becomes a view on the device:
/// the storage is shared and lives as long as either tensor.
at::Tensor on_host(const at::Tensor& device);
at::Tensor on_device(const at::Tensor& host);

/// To be called after an operator gave `host`, which was on_host(device), another shape or more
/// memory.
void take_shape(const at::Tensor& device, const at::Tensor& host);

}  // namespace phraseq::emulated_gpu
