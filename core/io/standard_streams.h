#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Makes standard input, output and error usable whatever the caller has done to them; call before
/// any file is opened. A closed stream would become the first file that is opened: it is opened so
/// that its use fails, as on a closed one. A terminal or pipe that does not wait (O_NONBLOCK) would
/// fail as soon as the other side is slow: it is made to wait, for this process only, or for all
/// that share it if it is a socket.
PHRASEQ_API void prepare_standard_streams();

/// Writes text to standard error. Like a message of the log, it is lost if it cannot be written.
PHRASEQ_API void write_to_standard_error(std::string_view text);

}  // namespace phraseq
