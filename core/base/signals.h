#pragma once

#include <csignal>
#include <initializer_list>

#include "core/base/api.h"

namespace phraseq {

/// Turns signals into flags that a loop checks between two pieces of work.
///
/// While an object exists, SIGTERM, SIGINT and SIGHUP set `requested`; a second one ends the
/// process at once with 128 + its number, after its unfinished files have been removed. SIGUSR1
/// asks for a checkpoint. A signal that the caller ignores (nohup, a script's background job) stays
/// ignored. Only one object may exist at a time.
class PHRASEQ_API StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Ignores a second signal that arrives within this time after the first: a process may get it
  /// both from its launcher and from whatever stops all processes.
  static void take_repeats_for_one(int milliseconds);
  /// Ignores all further signals once the parent `process` has ended: the system sends those of
  /// prctl(PR_SET_PDEATHSIG) for each of its threads.
  static void take_repeats_for_one_without(int process);

  /// The number of the signal that asks the run to end, 0 = none.
  int requested() const;
  /// True if a signal of either kind has arrived.
  bool has_request() const;
  /// True if SIGUSR1 has arrived since the last call.
  bool take_checkpoint_request();
};

/// Holds SIGUSR1 back, also in a program that this one becomes or starts, until that program calls
/// `outlive_checkpoint_requests`: loading its libraries takes a while.
PHRASEQ_API void hold_checkpoint_requests();

/// From now on, SIGUSR1 does not end the process even if there is no StopSignals object: a request
/// for a checkpoint may come while a run starts or ends. The next StopSignals object receives it.
/// An action that the caller has chosen stays.
PHRASEQ_API void outlive_checkpoint_requests();

/// Adds those of `signals` to the set that the caller of the program does not ignore.
PHRASEQ_API void add_unless_ignored(sigset_t& set, std::initializer_list<int> signals);

/// Blocks all signals except SIGBUS on the calling thread, so that the main thread receives them.
PHRASEQ_API void block_signals_on_this_thread();

/// Blocks signals on the calling thread until the end of the scope. A thread started in the
/// meantime inherits the mask and so leaves the signals to the others.
class PHRASEQ_API SignalsBlocked {
 public:
  /// All signals except SIGBUS.
  SignalsBlocked();
  explicit SignalsBlocked(const sigset_t& signals);
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// What was blocked before.
  const sigset_t& earlier_mask() const { return earlier_mask_; }

 private:
  sigset_t earlier_mask_;
};

}  // namespace phraseq
