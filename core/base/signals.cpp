#include "core/base/signals.h"

#include <array>
#include <csignal>
#include <ctime>
#include <unistd.h>

#include "core/base/unfinished_files.h"

namespace phraseq {
namespace {

// Handlers can access only globals of this type.
volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t checkpoint_signal = 0;
volatile std::sig_atomic_t repeat_milliseconds = 0;
volatile std::sig_atomic_t launcher = 0;  // 0 = none
timespec first_stop = {};  // written by the handler before stop_signal, read by it afterwards

bool is_repeat() {
  if (launcher != 0 && getppid() != launcher)
    return true;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto milliseconds =
      (now.tv_sec - first_stop.tv_sec) * 1000 + (now.tv_nsec - first_stop.tv_nsec) / 1'000'000;
  return milliseconds < repeat_milliseconds;
}

void on_stop(int number) {
  if (stop_signal != 0 && !is_repeat()) {
    remove_unfinished();
    _exit(128 + number);
  }
  if (stop_signal == 0)
    clock_gettime(CLOCK_MONOTONIC, &first_stop);
  stop_signal = number;
}

void on_checkpoint(int) { checkpoint_signal = 1; }

struct Handled {
  int number;
  void (*handler)(int);
};
constexpr std::array<Handled, 4> kHandled = {
    {{SIGTERM, on_stop}, {SIGINT, on_stop}, {SIGHUP, on_stop}, {SIGUSR1, on_checkpoint}}};

/// The actions to restore when the object ends.
std::array<struct sigaction, kHandled.size()> earlier_actions;

sigset_t all_but_sigbus() {
  sigset_t signals;
  sigfillset(&signals);
  sigdelset(&signals, SIGBUS);  // where it is blocked, it kills before its handler says why
  return signals;
}

sigset_t set_of_requests() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  for (size_t i = 0; i < kHandled.size(); ++i) {
    sigaction(kHandled[i].number, nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler == SIG_IGN)
      continue;
    struct sigaction action = {};
    action.sa_handler = kHandled[i].handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(kHandled[i].number, &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < kHandled.size(); ++i)
    sigaction(kHandled[i].number, &earlier_actions[i], nullptr);
}

void StopSignals::take_repeats_for_one(int milliseconds) { repeat_milliseconds = milliseconds; }

void StopSignals::take_repeats_for_one_without(int process) { launcher = process; }

int StopSignals::requested() const { return stop_signal; }

bool StopSignals::has_request() const { return stop_signal != 0 || checkpoint_signal != 0; }

bool StopSignals::take_checkpoint_request() {
  const bool asked = checkpoint_signal != 0;
  checkpoint_signal = 0;
  return asked;
}

void hold_checkpoint_requests() {
  const sigset_t requests = set_of_requests();
  pthread_sigmask(SIG_BLOCK, &requests, nullptr);
}

void outlive_checkpoint_requests() {
  struct sigaction action = {};
  sigaction(SIGUSR1, nullptr, &action);
  if (action.sa_handler == SIG_DFL) {
    action.sa_handler = on_checkpoint;  // SIG_IGN would be taken for a choice of the caller
    action.sa_flags = SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
  }
  const sigset_t requests = set_of_requests();
  pthread_sigmask(SIG_UNBLOCK, &requests, nullptr);
}

void add_unless_ignored(sigset_t& set, std::initializer_list<int> signals) {
  for (const int number : signals) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_IGN)
      sigaddset(&set, number);
  }
}

void block_signals_on_this_thread() {
  const sigset_t signals = all_but_sigbus();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

SignalsBlocked::SignalsBlocked() : SignalsBlocked(all_but_sigbus()) {}

SignalsBlocked::SignalsBlocked(const sigset_t& signals) {
  pthread_sigmask(SIG_BLOCK, &signals, &earlier_mask_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &earlier_mask_, nullptr); }

}  // namespace phraseq
