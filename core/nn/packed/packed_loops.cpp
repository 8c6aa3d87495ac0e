#include "core/nn/packed/packed_loops.h"

namespace phraseq::nn {

using kernels::Level;

const kernels::PackedKernels<float>& packed_loops(Level level) {
  return kernels::packed_kernels<float>(level);
}

namespace {

/// A level's own instructions come after the extensions of the level below.
std::vector<Int8Variant> present_variants() {
  std::vector<Int8Variant> all = {
      {"baseline", Level::kBaseline, &kernels::int8_kernels<float>(Level::kBaseline)}};
#if defined(__x86_64__)
  const bool avx = kernels::has_level(Level::kV3), avx512 = kernels::has_level(Level::kV4);
  if (avx)
    all.push_back({"avx2", Level::kV3, &kernels::v3::int8_kernels<float>()});
  if (avx && __builtin_cpu_supports("avxvnni"))
    all.push_back({"avx-vnni", Level::kV3, &kernels::v3_vnni::int8_kernels<float>()});
  if (avx512)
    all.push_back({"avx512", Level::kV4, &kernels::v4::int8_kernels<float>()});
  if (avx512 && __builtin_cpu_supports("avx512vnni"))
    all.push_back({"avx512-vnni", Level::kV4, &kernels::v4_vnni::int8_kernels<float>()});
#endif
  return all;
}

}  // namespace

const std::vector<Int8Variant>& int8_variants() {
  static const std::vector<Int8Variant> present = present_variants();
  return present;
}

const Int8Variant& int8_variant(Level level) {
  const Int8Variant* best = &int8_variants().front();
  for (const Int8Variant& variant : int8_variants()) {
    if (variant.level <= level)
      best = &variant;
  }
  return *best;
}

}  // namespace phraseq::nn
