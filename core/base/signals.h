#pragma once

#include "core/base/api.h"

namespace phraseq {

/// Signals as flags that a loop checks between two pieces of work.
///
/// While an object lives, SIGTERM, SIGINT and SIGHUP set `requested`; a second one ends the process
/// at once with 128 + its number (safe: every file is written atomically). SIGUSR1 asks for a
/// checkpoint. A signal that the caller ignores (nohup, a script's background job) stays ignored.
/// The handlers store a number and do nothing else. One object at a time.
class PHRASEQ_API StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// A second signal that comes within this time of the first one is taken for the same: a process
  /// may get it both from its launcher and from whoever stops all processes.
  static void take_repeats_for_one(int milliseconds);

  /// The number of the signal that asks the run to end, 0 = none.
  int requested() const;
  /// Whether there is a signal of either kind.
  bool has_request() const;
  /// Whether SIGUSR1 came since the last call.
  bool take_checkpoint_request();
};

/// Blocks all signals on the calling thread: worker threads leave them to the main one.
PHRASEQ_API void block_signals_on_this_thread();

}  // namespace phraseq
