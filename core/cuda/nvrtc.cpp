#include "core/cuda/nvrtc.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::cuda {
namespace {

// The interface of nvrtc.h, which has been the same since CUDA 11.2.
using Program = void*;
using Result = int;
using CreateProgram = Result (*)(Program*,
                                 const char* source,
                                 const char* name,
                                 int headers,
                                 const char* const*,
                                 const char* const*);
using CompileProgram = Result (*)(Program, int options, const char* const*);
using DestroyProgram = Result (*)(Program*);
using GetSize = Result (*)(Program, size_t*);
using GetText = Result (*)(Program, char*);
using GetErrorString = const char* (*)(Result);
using GetNumber = Result (*)(int*);
using Version = Result (*)(int* major, int* minor);

template <class Function>
Function function_of(void* library, const char* name) {
  auto* const found = dlsym(library, name);
  if (found == nullptr)
    throw PluginError(fmt::format("libnvrtc has no function {}", name),
                      "Install NVRTC 12 or newer, or unset PHRASEQ_NVRTC.");
  return reinterpret_cast<Function>(found);
}

/// The folder of a loaded library, with "/" at its end; empty if unknown.
std::string folder_of(void* library) {
  const link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr)
    return {};
  const std::string path = map->l_name;
  return path.substr(0, path.rfind('/') + 1);
}

void* load(const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

/// Opens the library of NVIDIA's wheels, which the loader does not search: it is next to the CUDA
/// runtime that LibTorch has loaded (CUDA 13), or in a folder next to the runtime's (CUDA 12).
void* open_beside_runtime() {
  constexpr std::array<const char*, 2> kMajors = {"13", "12"};
  for (const std::string major : kMajors) {
    void* const runtime = dlopen(("libcudart.so." + major).c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (runtime == nullptr)
      continue;
    const std::string folder = folder_of(runtime), name = "libnvrtc.so." + major;
    if (void* const library = load(folder + name))
      return library;
    return load(folder + "../../cuda_nvrtc/lib/" + name);
  }
  return nullptr;
}

void* open_named(const std::string& path) {
  if (void* const library = load(path))
    return library;
  throw UsageError(fmt::format("PHRASEQ_NVRTC: cannot load the library: {}", dlerror()),
                   "Name the file libnvrtc.so.12 or libnvrtc.so.13, or unset PHRASEQ_NVRTC.");
}

void* open_library() {
  if (const char* const path = std::getenv("PHRASEQ_NVRTC"); path != nullptr && *path != '\0')
    return open_named(path);
  if (void* const library = open_beside_runtime())
    return library;
  constexpr std::array<const char*, 3> kNames = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const char* const name : kNames) {
    if (void* const library = load(name))
      return library;
  }
  return nullptr;
}

/// A program that is destroyed with its owner.
class OwnedProgram {
 public:
  OwnedProgram(void* library, const std::string& source, const std::string& name)
      : library_(library) {
    check(function_of<CreateProgram>(library, "nvrtcCreateProgram")(
              &program_, source.c_str(), name.c_str(), 0, nullptr, nullptr),
          name);
  }
  OwnedProgram(const OwnedProgram&) = delete;
  OwnedProgram& operator=(const OwnedProgram&) = delete;
  ~OwnedProgram() {
    if (program_ != nullptr)
      function_of<DestroyProgram>(library_, "nvrtcDestroyProgram")(&program_);
  }

  Result compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    for (const std::string& option : options) texts.push_back(option.c_str());
    return function_of<CompileProgram>(library_, "nvrtcCompileProgram")(
        program_, static_cast<int>(texts.size()), texts.data());
  }

  std::string text(const char* size_name, const char* text_name) const {
    size_t size = 0;
    check(function_of<GetSize>(library_, size_name)(program_, &size), size_name);
    std::string text(size, '\0');
    check(function_of<GetText>(library_, text_name)(program_, text.data()), text_name);
    return text;
  }

  void check(Result result, const std::string& what) const {
    if (result == 0)
      return;
    throw PluginError(
        fmt::format("{}: NVRTC reports {}",
                    what,
                    function_of<GetErrorString>(library_, "nvrtcGetErrorString")(result)));
  }

 private:
  void* library_;
  Program program_ = nullptr;
};

}  // namespace

/// NVRTC opens its second library by name, and the loader finds it only in its own folders or if it
/// is already loaded. In NVIDIA's wheels, it is next to the first library, so it is loaded here.
Nvrtc::Nvrtc(void* library) : library_(library) {
  load(folder_of(library) + "libnvrtc-builtins.so." + version());
}

const Nvrtc* Nvrtc::find() {
  static const std::unique_ptr<Nvrtc> only = [] {
    void* const library = open_library();
    return std::unique_ptr<Nvrtc>(library == nullptr ? nullptr : new Nvrtc(library));
  }();
  return only.get();
}

std::unique_ptr<Nvrtc> Nvrtc::open(const std::string& path) {
  void* const library = load(path);
  return std::unique_ptr<Nvrtc>(library == nullptr ? nullptr : new Nvrtc(library));
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  function_of<Version>(library_, "nvrtcVersion")(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

bool Nvrtc::supports(const std::string& architecture) const {
  const auto get_count = function_of<GetNumber>(library_, "nvrtcGetNumSupportedArchs");
  const auto get_numbers = function_of<GetNumber>(library_, "nvrtcGetSupportedArchs");
  int count = 0;
  if (get_count(&count) != 0)
    return false;
  std::vector<int> numbers(static_cast<size_t>(count));
  if (get_numbers(numbers.data()) != 0)
    return false;
  return std::any_of(numbers.begin(), numbers.end(), [&](int number) {
    return architecture == fmt::format("sm_{}", number);
  });
}

std::string Nvrtc::compile(const std::string& source,
                           const std::string& file_name,
                           const std::string& architecture,
                           const std::vector<std::string>& options) const {
  OwnedProgram program(library_, source, file_name);
  std::vector<std::string> all = {"--gpu-architecture=" + architecture, "--std=c++17"};
  all.insert(all.end(), options.begin(), options.end());
  if (program.compile(all) != 0) {
    std::string log = program.text("nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    throw PluginError(fmt::format("{} does not compile for {}:\n{}", file_name, architecture, log),
                      "PHRASEQ_CUDA_KERNELS=0 uses LibTorch's operators instead.");
  }
  return program.text("nvrtcGetCUBINSize", "nvrtcGetCUBIN");
}

}  // namespace phraseq::cuda
