#pragma once

#include <span>
#include <string>

#include "core/base/api.h"
#include "core/base/launcher/environment.h"
#include "core/distributed/distributed_options.h"

namespace phraseq {

/// How many processes this one has to start instead of training by itself: --nproc-per-node, or
/// --distributed-world-size without a launcher; 0 = none. Throws UsageError if this process was
/// started by a launcher.
PHRASEQ_API int processes_to_start(const DistributedOptions& options,
                                   const Environment& environment);

/// Runs `count` processes of this program with the same arguments, RANK, WORLD_SIZE and so on in
/// their environment, and waits for them. SIGTERM, SIGINT and SIGHUP are passed on to all of them,
/// SIGUSR1 to the first. When one fails, the others have some seconds to end before they are
/// killed. Returns 0, or the exit code of the process that failed first, 128 + n if signal n ended
/// it. Throws UsageError if the arguments name a pipe as --config.
PHRASEQ_API int run_local_processes(std::span<const std::string> arguments,
                                    const DistributedOptions& options,
                                    int count);

/// In a process that `run_local_processes` started: takes the program's name, and requests a
/// SIGTERM for when the launcher is gone.
PHRASEQ_API void obey_launcher(const Environment& environment);

}  // namespace phraseq
