#pragma once

#include "core/base/api.h"

namespace phraseq::nn::kernels {

/// Processor levels as in the x86-64 psABI; other processors have only kBaseline.
enum class Level { kBaseline, kV3, kV4 };

/// Returns the highest level that this processor supports, or a lower one selected by the
/// environment variable PHRASEQ_CPU_LEVEL (baseline, v3, v4).
PHRASEQ_API Level best_level();
/// Returns whether this processor has all instructions of the level.
PHRASEQ_API bool has_level(Level level);

}  // namespace phraseq::nn::kernels

/// How loops are compiled once per processor level and chosen at run time:
///
///  1. A header describes a table of function pointers for one element type and declares it:
///
///         template <typename T>
///         struct MyKernels { void (*scale)(T* values, int64_t size, T factor); };
///         PHRASEQ_DECLARE_KERNELS(MyKernels, my_kernels)
///
///  2. A source that phraseq_add_kernels(TARGET SOURCE) names in CMake defines
///     `template <typename T> const MyKernels<T>& my_kernels()` in the namespace
///     PHRASEQ_KERNEL_LEVEL, nested in the header's, and instantiates it for its element types. It
///     is compiled once for each level; functions that it takes from headers are PHRASEQ_INLINE.
///
///  3. Callers write `my_kernels<float>(best_level()).scale(…)`.
#define PHRASEQ_DECLARE_KERNELS_OF(level, Table, function) \
  namespace level {                                        \
  template <typename T>                                    \
  const Table<T>& function();                              \
  }

#if defined(__x86_64__)
#define PHRASEQ_DECLARE_KERNELS(Table, function)                  \
  PHRASEQ_DECLARE_KERNELS_OF(baseline, Table, function)           \
  PHRASEQ_DECLARE_KERNELS_OF(v3, Table, function)                 \
  PHRASEQ_DECLARE_KERNELS_OF(v4, Table, function)                 \
  template <typename T>                                           \
  const Table<T>& function(::phraseq::nn::kernels::Level level) { \
    if (level == ::phraseq::nn::kernels::Level::kV4)              \
      return v4::function<T>();                                   \
    if (level == ::phraseq::nn::kernels::Level::kV3)              \
      return v3::function<T>();                                   \
    return baseline::function<T>();                               \
  }
#else
#define PHRASEQ_DECLARE_KERNELS(Table, function)                      \
  PHRASEQ_DECLARE_KERNELS_OF(baseline, Table, function)               \
  template <typename T>                                               \
  const Table<T>& function(::phraseq::nn::kernels::Level /*level*/) { \
    return baseline::function<T>();                                   \
  }
#endif

/// The namespace of the level for which a source is compiled; phraseq_add_kernels() defines it.
#ifndef PHRASEQ_KERNEL_LEVEL
#define PHRASEQ_KERNEL_LEVEL baseline
#endif
