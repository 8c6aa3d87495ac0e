#include "tests/end_to_end/workspace.h"

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <sys/wait.h>

namespace phraseq::end_to_end {

namespace fs = std::filesystem;

namespace {

/// A shell starts background jobs with these signals ignored, which the programs that a test starts
/// would inherit.
[[maybe_unused]] const bool kHeedsSignals = [] {
  for (const int number : {SIGINT, SIGQUIT}) ::signal(number, SIG_DFL);
  return true;
}();

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw std::runtime_error("cannot read " + file.string());
  std::ostringstream content;
  content << stream.rdbuf();
  return content.str();
}

void write_content(const fs::path& file, std::string_view content) {
  fs::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!stream.flush())
    throw std::runtime_error("cannot write " + file.string());
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

}  // namespace

RunningCommand::RunningCommand(pid_t process, fs::path output, fs::path errors)
    : process_(process), output_(std::move(output)), errors_(std::move(errors)) {}

void RunningCommand::send(int signal) const { ::kill(process_, signal); }

bool RunningCommand::is_running() {
  ended_ = ended_ || ::waitpid(process_, &status_, WNOHANG) == process_;
  return !ended_;
}

CommandResult RunningCommand::wait() {
  if (!ended_)
    ::waitpid(process_, &status_, 0);
  ended_ = true;
  return {exit_code_of(status_), content_of(output_), content_of(errors_)};
}

std::string RunningCommand::errors_so_far() const { return content_of(errors_); }

Workspace::Workspace() {
  std::string name = (fs::temp_directory_path() / "phraseq-end-to-end-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot create " + name);
  folder_ = name;
}

Workspace::~Workspace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

RunningCommand Workspace::start(const Arguments& arguments, std::string_view input) {
  return start_program(Arguments{kPhraseqProgram} + arguments, input);
}

RunningCommand Workspace::start_program(Arguments words, std::string_view input) {
  const fs::path streams = folder_ / ".streams";
  const std::string number = std::to_string(commands_++);
  const fs::path input_file = streams / (number + ".in");
  const fs::path output_file = streams / (number + ".out");
  const fs::path error_file = streams / (number + ".err");
  write_content(input_file, input);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output_file.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error_file.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());

  const std::string program = words.front();
  pid_t process = 0;
  const int error = ::posix_spawn(
      &process, program.c_str(), &actions, nullptr, pointers_to(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw std::runtime_error("cannot start " + program);
  return {process, output_file, error_file};
}

CommandResult Workspace::run(const Arguments& arguments, std::string_view input) {
  return start(arguments, input).wait();
}

void Workspace::write(const std::string& name, std::string_view content) const {
  write_content(folder_ / name, content);
}

std::string Workspace::read(const std::string& name) const { return content_of(folder_ / name); }

bool Workspace::exists(const std::string& name) const { return fs::exists(folder_ / name); }

bool wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Arguments words(const std::string& command_line) {
  std::istringstream stream(command_line);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace phraseq::end_to_end
