#include "core/conformance/isolated_run.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/base/posix/wait_for_child.h"
#include "core/base/posix/write_all.h"

namespace phraseq::conformance {
namespace {

struct Pipe {
  Pipe() {
    if (::pipe(ends.data()) != 0)
      throw IoError("a pipe to the process of a check", "create", errno);
  }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_reader() { close_end(0); }
  void close_writer() { close_end(1); }
  int reader() const { return ends[0]; }
  int writer() const { return ends[1]; }

 private:
  void close_end(size_t end) {
    if (ends[end] >= 0)
      ::close(ends[end]);
    ends[end] = -1;
  }
  std::array<int, 2> ends{-1, -1};
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count > 0)
      text.append(block.data(), static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
      return text;
  }
}

/// The child: it ends with its parent, and without the parent's destructors.
[[noreturn]] void report_and_exit(const Check& check, int descriptor) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Verdict verdict = run(check);
  const nlohmann::json report = {{"kind", static_cast<int>(verdict.kind)},
                                 {"findings", verdict.findings}};
  write_all(descriptor,
            report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  std::fflush(nullptr);
  ::_exit(0);
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {}, {}", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

Verdict verdict_of(const std::string& text, int status) {
  const auto report = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (report.is_object())
    return {static_cast<Verdict::Kind>(report.at("kind").get<int>()),
            report.at("findings").get<Findings>()};
  return {Verdict::Kind::kFails,
          {fmt::format("it ended the process of the check ({}): it may use memory that it does not "
                       "own, or that several threads change",
                       end_text(status))}};
}

}  // namespace

Verdict run_isolated(const Check& check) {
  Pipe pipe;
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0)
    throw IoError("the process of a check", "start", errno);
  if (child == 0)
    report_and_exit(check, pipe.writer());
  pipe.close_writer();
  const std::string text = read_all(pipe.reader());
  return verdict_of(text, wait_for_child(child));
}

}  // namespace phraseq::conformance
