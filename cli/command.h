#pragma once

#include <functional>
#include <span>
#include <string>

namespace phraseq {

/// The one `main` of every command: runs `command` on the arguments, prints what it throws to standard
/// error as "phraseq NAME: error: …" and maps it to the exit code; 1 = a bug of ours. Sets up what every
/// command needs (signals ignored, the allocator is set by commands that compute). `--version` is
/// answered here.
int run_command(const std::string& name, int argc, const char* const* argv,
                const std::function<int(std::span<const std::string>)>& command);

}  // namespace phraseq
