// The functions of nvrtc.h that core/cuda/nvrtc.cpp calls. Compiling returns the options as text,
// but only if the second library is found by its name, which NVRTC also requires.

#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <string>

#define PHRASEQ_VISIBLE extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kFailure = 6;  // NVRTC_ERROR_COMPILATION

std::string& text() {
  static std::string value;
  return value;
}

}  // namespace

PHRASEQ_VISIBLE int nvrtcVersion(int* major, int* minor) {
  *major = 97;
  *minor = 1;
  return 0;
}

PHRASEQ_VISIBLE int nvrtcGetNumSupportedArchs(int* count) {
  *count = 2;
  return 0;
}

PHRASEQ_VISIBLE int nvrtcGetSupportedArchs(int* numbers) {
  numbers[0] = 80;
  numbers[1] = 90;
  return 0;
}

PHRASEQ_VISIBLE const char* nvrtcGetErrorString(int /*result*/) { return "an error"; }

PHRASEQ_VISIBLE int nvrtcCreateProgram(void** program,
                                       const char* /*source*/,
                                       const char* /*name*/,
                                       int /*headers*/,
                                       const char* const* /*contents*/,
                                       const char* const* /*names*/) {
  *program = &text();
  return 0;
}

PHRASEQ_VISIBLE int nvrtcDestroyProgram(void** /*program*/) { return 0; }

PHRASEQ_VISIBLE int nvrtcCompileProgram(void* /*program*/, int count, const char* const* options) {
  if (dlopen("libnvrtc-builtins.so.97.1", RTLD_NOW) == nullptr) {
    text() = "nvrtc: error: failed to open libnvrtc-builtins.so.97.1.";
    return kFailure;
  }
  text().clear();
  for (int i = 0; i < count; ++i) text() += std::string(options[i]) + "\n";
  return 0;
}

PHRASEQ_VISIBLE int nvrtcGetProgramLogSize(void* /*program*/, size_t* size) {
  *size = text().size();
  return 0;
}

PHRASEQ_VISIBLE int nvrtcGetProgramLog(void* /*program*/, char* log) {
  std::memcpy(log, text().data(), text().size());
  return 0;
}

PHRASEQ_VISIBLE int nvrtcGetCUBINSize(void* program, size_t* size) {
  return nvrtcGetProgramLogSize(program, size);
}

PHRASEQ_VISIBLE int nvrtcGetCUBIN(void* program, char* cubin) {
  return nvrtcGetProgramLog(program, cubin);
}
