#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/base/error.h"

namespace phraseq {

/// The machine, or a limit of the process, has no memory for what was asked.
class PHRASEQ_API OutOfMemory : public Error {
 public:
  /// `what` needed the memory, for example "a tensor of 12.5 GiB".
  explicit OutOfMemory(std::string_view what);
};

/// Whether another library's exception is its way to say so (LibTorch has a text).
PHRASEQ_API bool means_out_of_memory(std::string_view what);

/// For input that is read as a whole, such as the content of `path`: throws IoError before input
/// without an end (/dev/zero, `yes`) takes all of the machine's memory. `held` bytes are in memory
/// already, and `more` bytes are to be allocated next.
PHRASEQ_API void require_room(const std::string& path, size_t held, size_t more);

/// Whether ulimit -v is set: then also what is only reserved, as heaps of threads and files that
/// are mapped, counts as used.
PHRASEQ_API bool is_address_space_limited();

/// Bytes that this process can still use, by the kernel's estimate, the limit of its control group
/// and that of its address space; a very large number where none is known.
PHRASEQ_API uint64_t available_memory();

}  // namespace phraseq
