#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {

/// The largest pickle that is read, and the most values in one. A checkpoint with the optimizer
/// state of a thousand parameters has some hundred thousand values.
inline constexpr size_t kMaxPickleBytes = size_t{256} << 20;
inline constexpr size_t kMaxPickleValues = size_t{8} << 20;

struct Pickle {
  PickleGraph graph;
  size_t bytes = 0;  ///< how many of the input belong to it
};

/// Reads a pickle of protocol 0 to 5 from the beginning of `input`, executing nothing: calls and
/// objects become records of what was written. Time and memory grow with the input, never with a
/// number in it.
///
/// Throws FormatError, beginning with `where`, for a pickle that is damaged or cut off, too large,
/// names a class or function that is not allowed (allowed_globals.h), or uses an opcode of
/// extensions or out-of-band buffers.
PHRASEQ_API Pickle read_pickle(std::string_view input, const std::string& where);

}  // namespace phraseq
