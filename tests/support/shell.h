#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <sys/wait.h>

namespace phraseq::testing {

struct Outcome {
  int code = 0;
  std::string text;  ///< standard output and error together
};

/// Runs a command of the shell.
inline Outcome shell(const std::string& command) {
  std::FILE* pipe = popen(("{ " + command + "; } 2>&1").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> block{};
  for (size_t got = 0; (got = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    outcome.text.append(block.data(), got);
  outcome.code = WEXITSTATUS(pclose(pipe));
  return outcome;
}

}  // namespace phraseq::testing
