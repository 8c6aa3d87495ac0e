// libFuzzer's program: runs the target that PHRASEQ_FUZZ_TARGET names.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

using Target = int (*)(const uint8_t*, size_t);

#define FUZZ_TARGET(name) {#name, fuzz_##name},
const std::map<std::string, Target> kTargets = {
#include "fuzz_targets.inc"
};
#undef FUZZ_TARGET

Target selected() {
  const char* name = std::getenv("PHRASEQ_FUZZ_TARGET");
  const auto found = kTargets.find(name == nullptr ? "" : name);
  if (found != kTargets.end())
    return found->second;
  std::fputs("PHRASEQ_FUZZ_TARGET must name one of these targets:\n", stderr);
  for (const auto& [known, target] : kTargets) std::fprintf(stderr, "  %s\n", known.c_str());
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Target target = selected();
  return target(data, size);
}
