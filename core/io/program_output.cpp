#include "core/io/program_output.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

#include "core/base/error.h"
#include "core/base/posix/wait_for_child.h"
#include "core/io/memory_file.h"

namespace phraseq {
namespace {

constexpr int kOutOfTime = 124;  // as timeout(1)

/// posix_spawn's redirections, freed with it.
class FileActions {
 public:
  FileActions(int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    const bool has_null = ::access("/dev/null", R_OK) == 0;  // not in every container
    const char* const nothing = has_null ? "/dev/null" : "/";
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, nothing, O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// The environment of this process without some variables.
std::vector<char*> environment_without(std::span<const std::string> names) {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::find(names.begin(), names.end(), text.substr(0, text.find('='))) == names.end())
      kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

pid_t start(const std::string& program,
            std::span<const std::string> arguments,
            std::span<const std::string> without,
            const FileActions& actions) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  auto environment = environment_without(without);
  pid_t process = 0;
  const int error = posix_spawn(
      &process, program.c_str(), actions.get(), nullptr, argv.data(), environment.data());
  if (error != 0)
    throw IoError(program, "run", error);
  return process;
}

int wait_for(pid_t process, const std::string& program, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process)
      return exit_code_of(status);
    if (ended < 0 && errno != EINTR)
      throw IoError(program, "wait for", errno);
    if (std::chrono::steady_clock::now() > end)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  kill(process, SIGKILL);
  wait_for_child(process);
  return kOutOfTime;
}

}  // namespace

ProgramOutput program_output(const std::string& program,
                             std::span<const std::string> arguments,
                             const ProgramSettings& settings) {
  const MemoryFile output(program);
  const MemoryFile errors(program);
  const FileActions actions(output.descriptor(), errors.descriptor());
  const pid_t process = start(program, arguments, settings.without, actions);
  const int exit_code = wait_for(process, program, settings.limit);
  return {exit_code, output.content(), errors.content()};
}

}  // namespace phraseq
