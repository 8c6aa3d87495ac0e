#include "core/base/signals.h"

#include <array>
#include <csignal>
#include <unistd.h>

namespace phraseq {
namespace {

// Handlers can reach nothing but globals of this type.
volatile std::sig_atomic_t stop_signal = 0;
volatile std::sig_atomic_t checkpoint_signal = 0;

void on_stop(int number) {
  if (stop_signal != 0)
    _exit(128 + number);
  stop_signal = number;
}

void on_checkpoint(int) { checkpoint_signal = 1; }

constexpr std::array<int, 3> kStopSignals = {SIGTERM, SIGINT, SIGHUP};

void handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals() {
  stop_signal = 0;
  checkpoint_signal = 0;
  for (const int number : kStopSignals) handle(number, on_stop);
  handle(SIGUSR1, on_checkpoint);
}

StopSignals::~StopSignals() {
  for (const int number : kStopSignals) handle(number, SIG_DFL);
  handle(SIGUSR1, SIG_DFL);
}

int StopSignals::requested() const { return stop_signal; }

bool StopSignals::take_checkpoint_request() {
  const bool asked = checkpoint_signal != 0;
  checkpoint_signal = 0;
  return asked;
}

void block_signals_on_this_thread() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace phraseq
