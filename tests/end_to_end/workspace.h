#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace phraseq::end_to_end {

using Arguments = std::vector<std::string>;

/// What a command left behind. A command ended by signal n that it did not handle has exit code 256
/// + n, so that it can be distinguished from one that saved and returned 128 + n.
struct CommandResult {
  int exit_code = 0;
  std::string output;
  std::string errors;
};

/// A command on its way.
class RunningCommand {
 public:
  RunningCommand(pid_t process, std::filesystem::path output, std::filesystem::path errors);
  void send(int signal) const;
  bool is_running();
  CommandResult wait();
  /// What it has written to standard error up to now.
  std::string errors_so_far() const;

 private:
  pid_t process_;
  int status_ = 0;
  bool ended_ = false;
  std::filesystem::path output_;
  std::filesystem::path errors_;
};

/// A folder of a test's own, removed with it, in which commands of this build run.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// `phraseq ARGUMENTS`, with `input` on standard input.
  CommandResult run(const Arguments& arguments, std::string_view input = {});
  RunningCommand start(const Arguments& arguments, std::string_view input = {});
  /// Another program, by its path: `words` are its path and its arguments.
  RunningCommand start_program(Arguments words, std::string_view input = {});

  void write(const std::string& name, std::string_view content) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  std::filesystem::path folder_;
  int commands_ = 0;
};

/// Waits until the condition is true; false after five minutes.
bool wait_until(const std::function<bool()>& condition);

/// The command `phraseq` of this build.
inline constexpr const char* kPhraseqProgram = PHRASEQ_BUILD_FOLDER "/bin/phraseq";

/// Lines without their ends; a last one without '\n' counts.
std::vector<std::string> lines_of(std::string_view text);

/// "train data-bin --lr 0.1" as arguments.
Arguments words(const std::string& command_line);
Arguments operator+(Arguments first, const Arguments& second);

}  // namespace phraseq::end_to_end
