#include <cstdlib>
#include <string_view>

#include "core/nn/kernels/kernels.h"

namespace phraseq::nn::kernels {

// One table a level and type, defined in table.cpp.
#define PHRASEQ_DECLARE_LEVEL(level)                \
  namespace level {                                 \
  template <typename T>                             \
  const Kernels<T>& table();                        \
  extern template const Kernels<float>& table();    \
  extern template const Kernels<double>& table();   \
  extern template const Kernels<Bfloat16>& table(); \
  }
PHRASEQ_DECLARE_LEVEL(baseline)
#ifdef PHRASEQ_KERNEL_LEVELS
PHRASEQ_DECLARE_LEVEL(v3)
PHRASEQ_DECLARE_LEVEL(v4)
#endif

bool has_level(Level level) {
#ifdef PHRASEQ_KERNEL_LEVELS
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
  return name == "v3" ? Level::kV3 : Level::kV4;
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
const Kernels<T>& kernels([[maybe_unused]] Level level) {
#ifdef PHRASEQ_KERNEL_LEVELS
  if (level == Level::kV4)
    return v4::table<T>();
  if (level == Level::kV3)
    return v3::table<T>();
#endif
  return baseline::table<T>();
}

template const Kernels<float>& kernels(Level);
template const Kernels<double>& kernels(Level);
template const Kernels<Bfloat16>& kernels(Level);

}  // namespace phraseq::nn::kernels
