#include "tests/end_to_end/terminal/terminal.h"

#include <array>
#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <stdexcept>
#include <termios.h>
#include <unistd.h>

#include <sys/wait.h>

namespace phraseq::end_to_end {
namespace {

/// Both ends of a pseudo terminal.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(int columns) {
    const winsize size{50, static_cast<unsigned short>(columns), 0, 0};
    if (openpty(&master_, &slave_, nullptr, nullptr, &size) != 0)
      throw std::runtime_error("cannot open a pseudo terminal");
    termios settings{};
    tcgetattr(slave_, &settings);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    tcsetattr(slave_, TCSANOW, &settings);
    fcntl(master_, F_SETFD, FD_CLOEXEC);
  }
  ~PseudoTerminal() {
    close_slave();
    close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  int slave() const { return slave_; }
  void close_slave() {
    if (slave_ >= 0)
      close(slave_);
    slave_ = -1;
  }
  void type(std::string_view text) const {
    if (write(master_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("cannot type into the pseudo terminal");
  }
  /// Everything that is shown until the program closes the terminal.
  std::string shown() const {
    std::string text;
    std::array<char, 4096> block{};
    for (ssize_t got = 0; (got = read(master_, block.data(), block.size())) > 0;)
      text.append(block.data(), static_cast<size_t>(got));
    return text;
  }

 private:
  int master_ = -1, slave_ = -1;
};

}  // namespace

TerminalResult run_at_terminal(const Workspace& workspace,
                               const Arguments& arguments,
                               std::string_view typed,
                               int columns) {
  PseudoTerminal terminal(columns);
  const std::string output = workspace.path(".terminal.out");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, terminal.slave(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(
      &actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, terminal.slave(), STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, terminal.slave());
  posix_spawn_file_actions_addchdir_np(&actions, workspace.path("").c_str());
  Arguments words = Arguments{PHRASEQ_BUILD_FOLDER "/bin/phraseq"} + arguments;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t process = 0;
  terminal.type(typed);
  const int error = posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error("cannot start " + words.front());
  terminal.close_slave();
  TerminalResult result;
  result.terminal = terminal.shown();
  int status = 0;
  waitpid(process, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
  result.output = workspace.read(".terminal.out");
  return result;
}

}  // namespace phraseq::end_to_end
