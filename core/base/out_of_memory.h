#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// The machine, or a limit of the process, does not have the memory that was requested.
class PHRASEQ_API OutOfMemory : public Error {
 public:
  /// `what` needed the memory, for example "a tensor of 12.5 GiB".
  explicit OutOfMemory(std::string_view what);
};

/// Whether the text of another library's exception means that memory ran out.
PHRASEQ_API bool means_out_of_memory(std::string_view what);

/// For input that is read as a whole, such as the content of `path`: throws IoError before input
/// without an end (/dev/zero, `yes`) takes all of the machine's memory. `held` bytes are in memory
/// already, and `more` bytes are to be allocated next.
PHRASEQ_API void require_room(const std::string& path, size_t held, size_t more);

/// Whether ulimit -v is set. Address space that is merely reserved, such as thread heaps and mapped
/// files, then counts as used.
PHRASEQ_API bool is_address_space_limited();

/// Bytes that this process can still use, according to the kernel's estimate and the limits of its
/// control group and address space; a very large number if none of these is known.
PHRASEQ_API uint64_t available_memory();

}  // namespace phraseq
