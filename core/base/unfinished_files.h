#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq {

/// Files and folders under a temporary name: a signal that ends the process removes them first. A
/// folder must contain only plain files. What does not fit into the fixed table (64 paths) is left
/// to the next run, which removes temporary files whose process is gone.
PHRASEQ_API void remember_unfinished(const std::string& path);
PHRASEQ_API void forget_unfinished(const std::string& path);

/// Removes all of them. Safe in a signal handler; does nothing in a forked child.
PHRASEQ_API void remove_unfinished() noexcept;

/// SIGTERM, SIGINT and SIGHUP remove them and then end the process as they always do. A signal that
/// the caller ignores (nohup, a script's background job) stays ignored.
PHRASEQ_API void remove_unfinished_on_signals();

}  // namespace phraseq
