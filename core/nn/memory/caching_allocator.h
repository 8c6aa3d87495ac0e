#pragma once

#include <cstddef>

#include "core/base/api.h"

namespace phraseq::nn {

/// Installs a CPU allocator for LibTorch that keeps freed blocks for the next step, for programs
/// that train.
///
/// Training requests the same large blocks at every step; malloc returns them to the system each
/// time and then has to map and clear their pages again, which makes a CPU step 1.3-1.8× slower.
/// Blocks of 64 kB and more are rounded up to one of four sizes per power of two (wasting less than
/// a quarter), kept in one list per size, and requested from the system in huge pages; smaller ones
/// come from malloc, and each thread keeps up to 256 kB of each power of two. The memory kept never
/// exceeds the highest use so far; if a new block would exceed the system's memory, all unused
/// blocks are returned to the system.
///
/// Call once, at the start of main, before the first tensor. PHRASEQ_ALLOCATOR=system in the
/// environment keeps LibTorch's own allocator.
PHRASEQ_API void install_caching_allocator();

/// Whether the allocator is in use.
PHRASEQ_API bool has_caching_allocator();

/// The memory in the allocator's blocks of 64 kB and more, in bytes.
struct CachedMemory {
  size_t mapped = 0;  ///< taken from the system, including unused blocks
  size_t in_use = 0;
  size_t peak = 0;  ///< highest `in_use` since the last reset
};
PHRASEQ_API CachedMemory cached_memory();
PHRASEQ_API void reset_peak_of_cached_memory();

/// From now on, allocating a block fails, as if the system had no memory, if more than `bytes`
/// would then be mapped; 0 = no limit.
PHRASEQ_API void limit_cached_memory(size_t bytes);

/// Returns all unused blocks to the system.
PHRASEQ_API void release_cached_memory();

}  // namespace phraseq::nn
