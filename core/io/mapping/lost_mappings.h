#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// What reading a mapped file gives where the file ends earlier than it did when it was mapped, or
/// its disk fails: a SIGBUS, which has no message. These functions let the handler name the file.
///
/// Registers a mapping, up to 256 at a time.
void remember_mapping(const void* begin, size_t size, std::string_view path) noexcept;
void forget_mapping(const void* begin) noexcept;

/// From now on such a signal ends the process with an error that names the file, and exit code 6.
/// `program` begins the message. Any other SIGBUS kills the process as before.
PHRASEQ_API void report_lost_mappings(std::string_view program);

}  // namespace phraseq
