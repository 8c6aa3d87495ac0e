#pragma once

#include <cstdlib>
#include <unistd.h>

#include <sys/wait.h>

#include "core/base/error.h"

namespace phraseq {

/// Runs `body` in a child process, which a failpoint, a signal or a limit may end, and returns its
/// wait status. For a phraseq::Error, the child exits with the exit code of a command.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      body();
    } catch (const Error& error) {
      ::_exit(error.exit_code());
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Sets a failpoint while the object lives.
class ActiveFailpoint {
 public:
  explicit ActiveFailpoint(const char* setting) { ::setenv("PHRASEQ_FAILPOINT", setting, 1); }
  ~ActiveFailpoint() { ::unsetenv("PHRASEQ_FAILPOINT"); }
  ActiveFailpoint(const ActiveFailpoint&) = delete;
  ActiveFailpoint& operator=(const ActiveFailpoint&) = delete;
};

}  // namespace phraseq
