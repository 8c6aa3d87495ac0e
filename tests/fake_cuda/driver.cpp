// The functions of cuda.h that core/cuda/driver.cpp calls, on the emulated GPU. A module is the
// text that tests/fake_nvrtc returns: the options of the compiler, which determine the type of
// activations of the kernels. A kernel runs one thread after another; where a GPU uses a warp per
// row, a warp is one thread here.
//
// PHRASEQ_FAKE_CUDA_LAUNCHES=FILE adds the name of each kernel that is launched to the file.

#include <array>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tests/core/cuda/kernels_on_host.h"
#include "tests/emulated_gpu/device_memory.h"

#define PHRASEQ_VISIBLE extern "C" __attribute__((visibility("default")))

namespace phraseq::cuda {
namespace {

constexpr int kInvalidValue = 1, kInvalidContext = 201, kNotFound = 500;

/// An argument as the kernel gets it; addresses are those of the device.
template <class Parameter>
Parameter argument(void* value) {
  const Parameter given = *static_cast<Parameter*>(value);
  if constexpr (std::is_pointer_v<Parameter>) {
    const void* const address = given;
    return given == nullptr ? nullptr : static_cast<Parameter>(emulated_gpu::host_address(address));
  } else {
    return given;
  }
}

template <class... Parameters, size_t... kPlaces>
void call(void (*kernel)(Parameters...), void** values, std::index_sequence<kPlaces...>) {
  kernel(argument<Parameters>(values[kPlaces])...);
}

struct Function {
  std::string_view name;
  unsigned warp;  ///< GPU threads that are one thread here
  void (*run)(void** values);
};

template <auto kKernel>
void run(void** values) {
  const auto count = []<class... Parameters>(void (*)(Parameters...)) {
    return std::index_sequence_for<Parameters...>();
  };
  call(kKernel, values, count(kKernel));
}

using Functions = std::array<Function, 29>;

template <class Device>
constexpr Functions kFunctions = {
    {{"adam", 1, &run<&Device::adam>},
     {"dropout_add", 1, &run<&Device::dropout_add>},
     {"relu_dropout", 1, &run<&Device::relu_dropout>},
     {"relu_dropout_backward", 32, &run<&Device::relu_dropout_backward>},
     {"dropout_add_norm", 32, &run<&Device::dropout_add_norm>},
     {"dropout_add_norm_backward", 32, &run<&Device::dropout_add_norm_backward>},
     {"embed", 1, &run<&Device::embed>},
     {"embed_backward_cuts", 1, &run<&Device::embed_backward_cuts>},
     {"embed_backward", 1, &run<&Device::embed_backward>},
     {"column_sums", 32, &run<&Device::column_sums>},
     {"cross_entropy", 32, &run<&Device::cross_entropy>},
     {"attention", 32, &run<&Device::attention>},
     {"attention_backward_queries", 32, &run<&Device::attention_backward_queries>},
     {"attention_backward_keys", 32, &run<&Device::attention_backward_keys>},
     {"attention_of_sentences", 32, &run<&Device::attention_of_sentences>},
     {"attention_backward_of_sentences", 32, &run<&Device::attention_backward_of_sentences>},
     {"grouped_attention", 32, &run<&Device::grouped_attention>},
     {"grouped_attention_backward_queries", 32, &run<&Device::grouped_attention_backward_queries>},
     {"grouped_attention_backward_keys", 32, &run<&Device::grouped_attention_backward_keys>},
     {"sum_windows", 1, &run<&Device::sum_windows>},
     {"spread_windows", 1, &run<&Device::spread_windows>},
     {"lstm_step", 1, &run<&Device::lstm_step>},
     {"lstm_step_backward", 1, &run<&Device::lstm_step_backward>},
     {"lstm_last_states", 1, &run<&Device::lstm_last_states>},
     {"lstm_gather_places", 1, &run<&Device::lstm_gather_places>},
     {"lstm_sum_places", 1, &run<&Device::lstm_sum_places>},
     {"attend_to_past", 32, &run<&Device::attend_to_past>},
     {"best_columns", 32, &run<&Device::best_columns>},
     {"few_rows_product", 32, &run<&Device::few_rows_product>}}};

/// The number in an option -D….
int number_of(std::string_view options, std::string_view name, int otherwise = 1) {
  const size_t at = options.find(name);
  return at == std::string_view::npos ? otherwise : std::atoi(options.data() + at + name.size());
}

const Functions* functions_of(std::string_view options) {
  const int width = number_of(options, "PHRASEQ_WIDTH=");
  if (32 * width * number_of(options, "PHRASEQ_PACKS=") > on_host::kMaxColumns ||
      number_of(options, "PHRASEQ_HEAD_DIM=", on_host::kHeadDim) != on_host::kHeadDim)
    return nullptr;
  switch (number_of(options, "PHRASEQ_ELEMENT=")) {
    case 0:
      return &kFunctions<on_host::Fp32>;
    case 1:
      return width == 1 ? &kFunctions<on_host::Bf16> : &kFunctions<on_host::Bf16InPacks>;
    case 2:
      return &kFunctions<on_host::Fp16>;
    default:
      return nullptr;
  }
}

/// Whether this thread has a context; a driver does not give one to a thread by default.
thread_local bool has_context = false;

void note_launch(std::string_view name) {
  if (const char* const path = std::getenv("PHRASEQ_FAKE_CUDA_LAUNCHES"))
    std::ofstream(path, std::ios::app) << name << '\n';
}

}  // namespace
}  // namespace phraseq::cuda

using namespace phraseq::cuda;

/// Tests look for this symbol to know that launches are recorded.
PHRASEQ_VISIBLE void phraseq_fake_cuda() {}

PHRASEQ_VISIBLE int cuInit(unsigned /*flags*/) { return 0; }
PHRASEQ_VISIBLE int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
PHRASEQ_VISIBLE int cuCtxGetDevice(int* device) {
  *device = 0;
  return has_context ? 0 : kInvalidContext;
}
PHRASEQ_VISIBLE int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = &has_context;
  return device == 0 ? 0 : kInvalidValue;
}
PHRASEQ_VISIBLE int cuCtxSetCurrent(void* context) {
  has_context = context != nullptr;
  return 0;
}
PHRASEQ_VISIBLE int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  constexpr int kMajor = 75;
  *value = attribute == kMajor ? 9 : 0;
  return 0;
}
PHRASEQ_VISIBLE int cuGetErrorName(int /*result*/, const char** name) {
  *name = "an error of tests/fake_cuda";
  return 0;
}

PHRASEQ_VISIBLE int cuModuleLoadData(void** module, const void* image) {
  const auto* const functions = functions_of(static_cast<const char*>(image));
  *module = const_cast<Functions*>(functions);
  if (!has_context)
    return kInvalidContext;
  return functions == nullptr ? kInvalidValue : 0;
}

PHRASEQ_VISIBLE int cuModuleGetFunction(void** function, void* module, const char* name) {
  for (const Function& each : *static_cast<const Functions*>(module)) {
    if (each.name == name) {
      *function = const_cast<Function*>(&each);
      return 0;
    }
  }
  return kNotFound;
}

PHRASEQ_VISIBLE int cuLaunchKernel(void* function,
                                   unsigned blocks_x,
                                   unsigned blocks_y,
                                   unsigned blocks_z,
                                   unsigned threads_x,
                                   unsigned threads_y,
                                   unsigned threads_z,
                                   unsigned shared_bytes,
                                   void* /*stream*/,
                                   void** values,
                                   void** /*extra*/) {
  const auto& kernel = *static_cast<const Function*>(function);
  if (!has_context)
    return kInvalidContext;
  if (blocks_x == 0 || blocks_y == 0 || blocks_y > 65535 || blocks_z != 1 || threads_x == 0 ||
      threads_x > 1024 || threads_y != 1 || threads_z != 1 || threads_x % kernel.warp != 0 ||
      shared_bytes > 48 * 1024)
    return kInvalidValue;
  static std::mutex one_at_a_time;  // blockIdx and others are variables here
  const std::lock_guard lock(one_at_a_time);
  note_launch(kernel.name);
  on_host::blockDim.x = threads_x / kernel.warp;
  on_host::run(blocks_x, blocks_y, [&] {
    for (on_host::threadIdx.x = 0; on_host::threadIdx.x < on_host::blockDim.x;
         ++on_host::threadIdx.x)
      kernel.run(values);
  });
  return 0;
}
