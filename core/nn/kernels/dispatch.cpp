#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/nn/kernels/kernels.h"

namespace phraseq::nn::kernels {

// Defined once per level in table.cpp.
PHRASEQ_DECLARE_KERNELS(Kernels, table)

bool has_level(Level level) {
#if defined(__x86_64__)
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return level == Level::kBaseline || (level == Level::kV3 && v3) || (level == Level::kV4 && v4);
#else
  return level == Level::kBaseline;
#endif
}

namespace {

Level highest_wanted() {
  const char* value = std::getenv("PHRASEQ_CPU_LEVEL");
  const std::string_view name = value ? value : "";
  if (name == "baseline")
    return Level::kBaseline;
  if (name == "v3")
    return Level::kV3;
  if (!name.empty() && name != "v4") {
    log_warning(
        fmt::format("PHRASEQ_CPU_LEVEL={} is not one of baseline, v3, v4 and is ignored", name));
  }
  return Level::kV4;
}

}  // namespace

Level best_level() {
  static const Level best = [] {
    const Level wanted = highest_wanted();
    for (const Level level : {Level::kV4, Level::kV3}) {
      if (level <= wanted && has_level(level))
        return level;
    }
    return Level::kBaseline;
  }();
  return best;
}

template <typename T>
const Kernels<T>& kernels(Level level) {
  return table<T>(level);
}

template const Kernels<float>& kernels(Level);
template const Kernels<double>& kernels(Level);
template const Kernels<Bfloat16>& kernels(Level);

}  // namespace phraseq::nn::kernels
