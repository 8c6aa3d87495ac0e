#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Bytes that this process can still use, according to the kernel's estimate and the limits of its
/// control groups, address space and data; a very large number if none of these is known.
PHRASEQ_API uint64_t available_memory();

/// The lowest memory limit of this process's control groups, in bytes; empty without one.
PHRASEQ_API std::optional<uint64_t> limit_of_control_groups();

/// Whether ulimit -v or -d is set. Memory that is merely reserved, such as stacks and heaps of
/// threads, then counts as used.
PHRASEQ_API bool is_limited_by_reservations();

/// For input that is read as a whole, such as the content of `path`: throws IoError before input
/// without an end (/dev/zero, `yes`) takes all of the machine's memory. `held` bytes are in memory
/// already, and `more` bytes will be allocated next.
PHRASEQ_API void require_room(const std::string& path, size_t held, size_t more);

}  // namespace phraseq
