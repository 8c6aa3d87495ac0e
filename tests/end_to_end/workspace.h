#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace phraseq::end_to_end {

using Arguments = std::vector<std::string>;

/// The result of a command. A command that was ended by an unhandled signal n has exit code 256 +
/// n, to distinguish it from one that saved and returned 128 + n.
struct CommandResult {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

/// A command that is running.
class RunningCommand {
 public:
  RunningCommand(pid_t process, std::filesystem::path output, std::filesystem::path errors);
  void send(int signal) const;
  bool is_running();
  CommandResult wait();
  /// The standard error up to now.
  std::string errors_so_far() const;

 private:
  pid_t process_;
  int status_ = 0;
  bool ended_ = false;
  std::filesystem::path output_;
  std::filesystem::path errors_;
};

/// A folder for one test, removed with the object, in which commands of this build run.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Runs `phraseq ARGUMENTS` with `input` on standard input.
  CommandResult run(const Arguments& arguments, std::string_view input = {});
  RunningCommand start(const Arguments& arguments, std::string_view input = {});
  /// Starts another program; `words` are its path and its arguments.
  RunningCommand start_program(Arguments words, std::string_view input = {});

  void write(const std::string& name, std::string_view content) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
  int commands_ = 0;
};

/// Waits until the condition is true; returns false after five minutes.
bool wait_until(const std::function<bool()>& condition);

/// The command `phraseq` of this build.
inline constexpr const char* kPhraseqProgram = PHRASEQ_BUILD_FOLDER "/bin/phraseq";

/// The lines without their ends; a last line without '\n' counts.
std::vector<std::string> lines_of(std::string_view text);

/// The arguments of a command line such as "train data-bin --lr 0.1".
Arguments words(const std::string& command_line);
Arguments operator+(Arguments first, const Arguments& second);

}  // namespace phraseq::end_to_end
