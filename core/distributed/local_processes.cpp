#include "core/distributed/local_processes.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <spawn.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/posix/wait_for_child.h"
#include "core/base/signals.h"
#include "core/distributed/placement.h"
#include "core/distributed/rendezvous/store.h"

namespace phraseq {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kForwarded[] = {SIGTERM, SIGINT, SIGHUP};
constexpr std::chrono::seconds kTimeToNotice{15};  // for the others, after one has failed
constexpr std::chrono::seconds kTimeToEnd{5};

/// Signals of this process as something to wait for; those that the caller ignores stay ignored,
/// except SIGCHLD: without it, nobody would learn how the processes end.
class WaitedSignals {
 public:
  WaitedSignals() { std::signal(SIGCHLD, SIG_DFL); }

  /// The next one, or 0 after a tenth of a second.
  int next() const {
    const timespec soon = {0, 100'000'000};
    const int number = sigtimedwait(&set_, nullptr, &soon);
    return std::max(0, number);
  }
  const sigset_t& earlier() const { return blocked_.earlier_mask(); }

 private:
  static sigset_t not_ignored() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    add_unless_ignored(set, {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGTSTP});
    return set;
  }

  sigset_t set_ = not_ignored();
  SignalsBlocked blocked_{set_};
};

/// The environment of a process to start.
class ChildEnvironment {
 public:
  ChildEnvironment() {
    for (char** entry = environ; *entry != nullptr; ++entry) entries_.emplace_back(*entry);
  }
  void set(const std::string& name, const std::string& value) {
    std::erase_if(entries_, [&](const std::string& e) { return e.starts_with(name + "="); });
    entries_.push_back(name + "=" + value);
  }
  std::vector<char*> pointers() {
    std::vector<char*> all;
    for (std::string& entry : entries_) all.push_back(entry.data());
    all.push_back(nullptr);
    return all;
  }

 private:
  std::vector<std::string> entries_;
};

struct Child {
  int rank = 0;
  pid_t process = 0;
  bool runs = true;
};

bool means_stopped(int code) {
  return std::any_of(std::begin(kForwarded), std::end(kForwarded), [&](int number) {
    return code == 128 + number;
  });
}

/// Starts, watches and ends the processes.
class LocalProcesses {
 public:
  LocalProcesses(std::span<const std::string> arguments,
                 const DistributedOptions& options,
                 int count)
      : arguments_(arguments.begin(), arguments.end()), options_(options), count_(count) {}

  ~LocalProcesses() { send_to_all(SIGKILL); }
  LocalProcesses(const LocalProcesses&) = delete;
  LocalProcesses& operator=(const LocalProcesses&) = delete;

  int run() {
    if (options_.rank < 0)
      store_ = start_local_store();
    std::signal(SIGTTOU, SIG_IGN);  // inherited: the processes are in the background of a terminal
    for (int i = 0; i < count_; ++i) start(i);
    while (running() > 0) {
      handle(signals_.next());
      collect();
      end_the_rest();
    }
    return result_;
  }

 private:
  int64_t running() const {
    return std::count_if(children_.begin(), children_.end(), [](const Child& c) { return c.runs; });
  }

  ChildEnvironment environment_of(int index) const {
    const int first = static_cast<int>(std::max<int64_t>(0, options_.rank));
    const int64_t all = options_.rank < 0 ? count_ : options_.world_size;
    ChildEnvironment environment;
    environment.set("RANK", std::to_string(first + index));
    environment.set("WORLD_SIZE", std::to_string(all));
    environment.set("LOCAL_RANK", std::to_string(index));
    environment.set("LOCAL_WORLD_SIZE", std::to_string(count_));
    environment.set(kLauncherVariable, std::to_string(::getpid()));
    if (store_.port > 0) {
      environment.set("MASTER_ADDR", "127.0.0.1");
      environment.set("MASTER_PORT", std::to_string(store_.port));
      environment.set("TORCHELASTIC_USE_AGENT_STORE", "True");
    }
    return environment;
  }

  void start(int index) {
    std::vector<char*> words = {const_cast<char*>(kLocalProgram)};
    for (std::string& argument : arguments_) words.push_back(argument.data());
    words.push_back(nullptr);
    ChildEnvironment environment = environment_of(index);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // A separate process group: Ctrl-C and Ctrl-Z reach only this process, which passes them on.
    posix_spawnattr_setpgroup(&attributes, 0);
    sigset_t blocked = signals_.earlier();
    sigaddset(&blocked, SIGUSR1);  // until it has loaded its libraries
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    Child child;
    child.rank = index + static_cast<int>(std::max<int64_t>(0, options_.rank));
    const int problem = ::posix_spawn(&child.process,
                                      "/proc/self/exe",
                                      nullptr,
                                      &attributes,
                                      words.data(),
                                      environment.pointers().data());
    posix_spawnattr_destroy(&attributes);
    if (problem != 0)
      throw IoError(kLocalProgram, "start", problem);
    children_.push_back(child);
  }

  void handle(int signal) {
    if (std::find(std::begin(kForwarded), std::end(kForwarded), signal) != std::end(kForwarded)) {
      send_to_all(signal);
    } else if (signal == SIGUSR1 && children_.front().runs) {
      ::kill(children_.front().process, SIGUSR1);
    } else if (signal == SIGTSTP) {
      pause();
    }
  }

  /// Ctrl-Z: returns when the shell continues this process.
  void pause() const {
    send_to_all(SIGSTOP);
    ::raise(SIGSTOP);
    send_to_all(SIGCONT);
  }

  void collect() {
    for (Child& child : children_) {
      int status = 0;
      if (child.runs && ::waitpid(child.process, &status, WNOHANG) == child.process) {
        child.runs = false;
        note_end(child, status);
      }
    }
  }

  void note_end(const Child& child, int status) {
    const bool killed = WIFSIGNALED(status);
    const int code = exit_code_of(status);
    if (code == 0 || failed_at_)
      return;
    if (result_ == 0)
      result_ = code;
    if (!killed && means_stopped(code))
      return;  // saved at the same update as all others, which end now, too
    result_ = code;
    failed_at_ = Clock::now();
    log_error(
        killed
            ? fmt::format("rank {} (process {}) was ended by signal {} ({})",
                          child.rank,
                          child.process,
                          WTERMSIG(status),
                          strsignal(WTERMSIG(status)))
            : fmt::format(
                  "rank {} (process {}) ended with exit code {}", child.rank, child.process, code));
  }

  /// After a failure, ends the other processes in steps: at first they have time to notice it and
  /// to report what they know.
  void end_the_rest() {
    if (!failed_at_)
      return;
    const auto since = Clock::now() - *failed_at_;
    if (since > kTimeToNotice + kTimeToEnd) {
      send_to_all(SIGKILL);
    } else if (since > kTimeToNotice + kTimeToEnd / 2 && terminations_ == 1) {
      ++terminations_;
      send_to_all(SIGTERM);  // the first asks for the end of the update, the second for the end
    } else if (since > kTimeToNotice && terminations_ == 0) {
      ++terminations_;
      send_to_all(SIGTERM);
    }
  }

  void send_to_all(int signal) const {
    for (const Child& child : children_) {
      if (child.runs)
        ::kill(child.process, signal);
    }
  }

  std::vector<std::string> arguments_;
  const DistributedOptions& options_;
  int count_;
  WaitedSignals signals_;  // before the store, whose threads are to inherit the mask
  LocalStore store_;
  std::vector<Child> children_;
  std::optional<Clock::time_point> failed_at_;
  int terminations_ = 0;
  int result_ = 0;
};

}  // namespace

int start_and_watch(std::span<const std::string> arguments,
                    const DistributedOptions& options,
                    int count) {
  return LocalProcesses(arguments, options, count).run();
}

}  // namespace phraseq
