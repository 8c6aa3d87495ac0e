#pragma once

#include <span>
#include <string>

#include "core/distributed/distributed_options.h"

namespace phraseq {

/// The name of the program that the started processes are.
inline constexpr const char* kLocalProgram = "phraseq-train";

/// Starts `count` processes of this program, forwards signals to them, and waits for them: what
/// run_local_processes does after its checks.
int start_and_watch(std::span<const std::string> arguments,
                    const DistributedOptions& options,
                    int count);

}  // namespace phraseq
