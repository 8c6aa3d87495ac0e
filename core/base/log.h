#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Human text on standard error, "HH:MM:SS | LEVEL | message". Never on standard output, which
/// belongs to results. Thread-safe.
PHRASEQ_API void log_info(std::string_view message);
PHRASEQ_API void log_warning(std::string_view message);
PHRASEQ_API void log_error(std::string_view message);

/// Silences information (warnings and errors stay), for `--quiet`.
PHRASEQ_API void set_log_quiet(bool quiet);

/// Also appends every message, with its date, to `path`. Throws IoError when it cannot be opened.
PHRASEQ_API void add_log_file(std::string_view path);

}  // namespace phraseq
