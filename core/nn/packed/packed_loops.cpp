#include "core/nn/packed/packed_loops.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <unistd.h>

#include <sys/syscall.h>
#endif

namespace phraseq::nn {

using kernels::Level;

const kernels::PackedKernels<float>& packed_loops(Level level) {
  return kernels::packed_kernels<float>(level);
}

namespace {

#if defined(__x86_64__)

/// Whether the processor has the tile registers of AMX with products of 8-bit and bf16 numbers, and
/// the system grants this process their use, which Linux requires to be requested (arch_prctl).
bool may_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  constexpr unsigned kBf16 = 1U << 22, kTile = 1U << 24, kInt8 = 1U << 25;
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool present = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kBf16) != 0 &&
                       (d & kTile) != 0 && (d & kInt8) != 0;
  return present && ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool has_tiles() {
  static const bool answer = may_use_tiles();
  return answer;
}

#endif

/// The available variants, the fastest one last: a level's own instructions follow the extensions
/// of the level below.
std::vector<NarrowVariant> present_int8_variants() {
  std::vector<NarrowVariant> all = {
      {"baseline", Level::kBaseline, &kernels::int8_kernels<float>(Level::kBaseline)}};
#if defined(__x86_64__)
  const bool avx = kernels::has_level(Level::kV3), avx512 = kernels::has_level(Level::kV4);
  const bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (avx)
    all.push_back({"avx2", Level::kV3, &kernels::v3::int8_kernels<float>()});
  if (avx && __builtin_cpu_supports("avxvnni"))
    all.push_back({"avx-vnni", Level::kV3, &kernels::v3_vnni::int8_kernels<float>()});
  if (avx512)
    all.push_back({"avx512", Level::kV4, &kernels::v4::int8_kernels<float>()});
  if (vnni)
    all.push_back({"avx512-vnni", Level::kV4, &kernels::v4_vnni::int8_kernels<float>()});
  if (vnni && has_tiles())
    all.push_back({"amx", Level::kV4, &kernels::v4_amx::int8_kernels<float>()});
#endif
  return all;
}

std::vector<NarrowVariant> present_bf16_variants() {
  std::vector<NarrowVariant> all = {
      {"baseline", Level::kBaseline, &kernels::bf16_kernels<float>(Level::kBaseline)}};
#if defined(__x86_64__)
  const bool avx512 = kernels::has_level(Level::kV4);
  if (kernels::has_level(Level::kV3))
    all.push_back({"avx2", Level::kV3, &kernels::v3::bf16_kernels<float>()});
  if (avx512)
    all.push_back({"avx512", Level::kV4, &kernels::v4::bf16_kernels<float>()});
  if (avx512 && __builtin_cpu_supports("avx512bf16"))
    all.push_back({"avx512-bf16", Level::kV4, &kernels::v4_bf16::bf16_kernels<float>()});
  if (avx512 && __builtin_cpu_supports("avx512vnni") && has_tiles())
    all.push_back({"amx", Level::kV4, &kernels::v4_amx::bf16_kernels<float>()});
#endif
  return all;
}

const NarrowVariant& best_of(const std::vector<NarrowVariant>& variants, Level level) {
  const NarrowVariant* best = &variants.front();
  for (const NarrowVariant& variant : variants) {
    if (variant.level <= level)
      best = &variant;
  }
  return *best;
}

}  // namespace

const std::vector<NarrowVariant>& int8_variants() {
  static const std::vector<NarrowVariant> present = present_int8_variants();
  return present;
}

const std::vector<NarrowVariant>& bf16_variants() {
  static const std::vector<NarrowVariant> present = present_bf16_variants();
  return present;
}

const kernels::TileKernels* tile_loops([[maybe_unused]] Level level) {
#if defined(__x86_64__)
  static const bool present = has_tiles() && __builtin_cpu_supports("avx512bf16");
  if (present && level == Level::kV4)
    return &kernels::v4_amx::tile_kernels;
#endif
  return nullptr;
}

const NarrowVariant& int8_variant(Level level) { return best_of(int8_variants(), level); }
const NarrowVariant& bf16_variant(Level level) { return best_of(bf16_variants(), level); }

}  // namespace phraseq::nn
