#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Reading a mapped file that has become shorter since it was mapped, or whose disk fails, causes a
/// SIGBUS, which has no message. These functions let the handler name the file.
///
/// Registers a mapping, up to 256 at a time.
void remember_mapping(const void* begin, size_t size, std::string_view path) noexcept;
/// Ends the registration; call it before the memory is unmapped.
void forget_mapping(const void* begin) noexcept;

/// From now on such a signal ends the process with an error that names the file, and exit code 6.
/// `program` begins the message. Any other SIGBUS kills the process as usual.
PHRASEQ_API void report_lost_mappings(std::string_view program);

}  // namespace phraseq
