#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {

/// The maximum size of a pickle, and the maximum number of values in one. A checkpoint with the
/// optimizer state of a thousand parameters has about a hundred thousand values.
inline constexpr size_t kMaxPickleBytes = size_t{256} << 20;
inline constexpr size_t kMaxPickleValues = size_t{8} << 20;

/// A pickle as it was read.
struct Pickle {
  PickleGraph graph;
  size_t bytes = 0;  ///< how many bytes of the input belong to it
};

/// Reads a pickle of protocol 0 to 5 from the beginning of `input`, without executing anything:
/// calls and objects become records of what was written. Time and memory use grow with the input,
/// never with a number in it.
///
/// Throws a FormatError that begins with `where` for a pickle that is damaged, truncated or too
/// large, names a class or function that is not allowed (allowed_globals.h), or uses an opcode of
/// extensions or out-of-band buffers.
PHRASEQ_API Pickle read_pickle(std::string_view input, const std::string& where);

}  // namespace phraseq
