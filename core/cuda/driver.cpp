#include "core/cuda/driver.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/cuda/nvrtc.h"

namespace phraseq::cuda {
namespace {

// The part of the interface of cuda.h that is used.
using Result = int;
using Device = int;
using Init = Result (*)(unsigned flags);
using GetCount = Result (*)(int*);
using GetCurrentDevice = Result (*)(Device*);
using Retain = Result (*)(void** context, Device);
using SetCurrent = Result (*)(void* context);
using GetAttribute = Result (*)(int* value, int attribute, Device);
using LoadModule = Result (*)(void** module, const void* image);
using GetFunction = Result (*)(void** function, void* module, const char* name);
using Launch = Result (*)(void* function,
                          unsigned blocks_x,
                          unsigned blocks_y,
                          unsigned blocks_z,
                          unsigned threads_x,
                          unsigned threads_y,
                          unsigned threads_z,
                          unsigned shared_bytes,
                          void* stream,
                          void** arguments,
                          void** extra);
using GetErrorName = Result (*)(Result, const char**);

constexpr int kCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kCapabilityMinor = 76;

void* driver_library() {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library;
}

template <class Function>
Function driver_function(const char* name) {
  void* const found = driver_library() == nullptr ? nullptr : dlsym(driver_library(), name);
  if (found == nullptr)
    throw PluginError(fmt::format("the CUDA driver (libcuda.so.1) has no function {}", name),
                      "Install the NVIDIA driver, or compute on the CPU with --device cpu.");
  return reinterpret_cast<Function>(found);
}

void check(Result result, const std::string& what) {
  if (result == 0)
    return;
  const char* name = nullptr;
  driver_function<GetErrorName>("cuGetErrorName")(result, &name);
  throw PluginError(
      fmt::format("{}: the CUDA driver reports {}", what, name == nullptr ? "an error" : name));
}

/// The device's primary context, which LibTorch uses, for the calling thread. A thread of a
/// backward pass may not have a context yet.
void make_current(Device device) {
  static const auto current_device = driver_function<GetCurrentDevice>("cuCtxGetDevice");
  Device current = -1;
  if (current_device(&current) == 0 && current == device)
    return;
  void* context = nullptr;
  check(driver_function<Retain>("cuDevicePrimaryCtxRetain")(&context, device),
        "cuDevicePrimaryCtxRetain");
  check(driver_function<SetCurrent>("cuCtxSetCurrent")(context), "cuCtxSetCurrent");
}

std::string architecture_of(Device device) {
  int major = 0, minor = 0;
  const auto get = driver_function<GetAttribute>("cuDeviceGetAttribute");
  check(get(&major, kCapabilityMajor, device), "cuDeviceGetAttribute");
  check(get(&minor, kCapabilityMinor, device), "cuDeviceGetAttribute");
  return fmt::format("sm_{}{}", major, minor);
}

int device_count() {
  int count = 0;
  if (driver_library() == nullptr || driver_function<Init>("cuInit")(0) != 0 ||
      driver_function<GetCount>("cuDeviceGetCount")(&count) != 0)
    return 0;
  return count;
}

/// Whether NVRTC compiles for every GPU; logs a warning if it does not.
bool compiles_for(int devices, const Nvrtc& compiler) {
  for (int device = 0; device < devices; ++device) {
    if (compiler.supports(architecture_of(device)))
      continue;
    log_warning(fmt::format(
        "NVRTC {} does not compile for {}: LibTorch's operators are used in place of phraseq's "
        "kernels, and training is slower. PHRASEQ_NVRTC=/path/to/libnvrtc.so names another library",
        compiler.version(),
        architecture_of(device)));
    return false;
  }
  return true;
}

}  // namespace

bool KernelLauncher::available() {
  static const bool is_available = [] {
    const int devices = device_count();
    const Nvrtc* const compiler = devices > 0 ? Nvrtc::find() : nullptr;
    return compiler != nullptr && compiles_for(devices, *compiler);
  }();
  return is_available;
}

KernelLauncher& KernelLauncher::instance() {
  static KernelLauncher launcher;
  return launcher;
}

void* KernelLauncher::load(const KernelSource& kernel, const std::string& architecture) {
  const Nvrtc* const compiler = Nvrtc::find();
  if (compiler == nullptr) {
    throw PluginError("libnvrtc, which compiles the CUDA kernels, was not found",
                      "It is part of LibTorch's CUDA wheel (nvidia-cuda-nvrtc). Name the file with "
                      "PHRASEQ_NVRTC, such as PHRASEQ_NVRTC=/path/to/libnvrtc.so.13.");
  }
  const std::string cubin = cache_.cubin(kernel, architecture, compiler->version(), [&] {
    return compiler->compile(kernel.text, kernel.name, architecture, kernel.options);
  });
  void* module = nullptr;
  check(driver_function<LoadModule>("cuModuleLoadData")(&module, cubin.data()), kernel.name);
  return module;
}

void* KernelLauncher::function_of(const KernelSource& kernel,
                                  const std::string& function,
                                  int device) {
  const std::lock_guard lock(mutex_);
  std::string key = std::to_string(device) + ' ' + kernel.name;
  for (const std::string& option : kernel.options) key += ' ' + option;
  void*& found = functions_[key + ' ' + function];
  if (found != nullptr)
    return found;
  void*& module = modules_[key];
  if (module == nullptr)
    module = load(kernel, architecture_of(device));
  check(driver_function<GetFunction>("cuModuleGetFunction")(&found, module, function.c_str()),
        kernel.name + ": " + function);
  return found;
}

void KernelLauncher::launch(const KernelSource& kernel,
                            const std::string& function,
                            const LaunchShape& shape,
                            void* stream,
                            const std::vector<void*>& arguments) {
  make_current(shape.device);
  void* const compiled = function_of(kernel, function, shape.device);
  static const auto launch_kernel = driver_function<Launch>("cuLaunchKernel");
  const Result result = launch_kernel(compiled,
                                      shape.blocks,
                                      shape.blocks_y,
                                      1,
                                      shape.threads,
                                      1,
                                      1,
                                      shape.shared_bytes,
                                      stream,
                                      const_cast<void**>(arguments.data()),  // only read
                                      nullptr);
  if (result != 0)
    check(result, kernel.name + ": " + function);
}

}  // namespace phraseq::cuda
