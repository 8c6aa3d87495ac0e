#pragma once

#include <cstdlib>
#include <string>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/io/temporary_name.h"

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

/// A temporary name that a process of this machine would give.
inline std::string temporary_name_of(pid_t process, const std::string& path) {
  std::string name = temporary_name(path);
  const std::string own = fmt::format(".tmp.{}.", ::getpid());
  return name.replace(name.rfind(own), own.size(), fmt::format(".tmp.{}.", process));
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
