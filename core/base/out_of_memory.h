#pragma once

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

}  // namespace phraseq
