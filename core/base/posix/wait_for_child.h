#pragma once

#include <cerrno>

#include <sys/types.h>
#include <sys/wait.h>

namespace phraseq {

/// Waits until a child process has ended; returns its status as waitpid gives it.
inline int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

/// The exit code that a shell would show: 128 + N after signal N.
inline int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace phraseq
