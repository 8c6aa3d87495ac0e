#pragma once

#include <cstdint>
#include <map>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"
#include "core/distributed/process_group.h"

namespace phraseq {

/// The sums of batches by their position in an update or in a validation set: added in this order,
/// they give the same bits, whichever process computed which batch.
using BatchReports = std::map<int64_t, LossReport>;
/// The sum of all batches, in the order of their positions.
PHRASEQ_API LossReport sum_of(const BatchReports& reports);

/// What each process tells the others at every update.
struct ProcessReport {
  BatchReports batches;
  int signal = 0;                     ///< that asks this process to stop
  bool checkpoint_requested = false;  ///< by SIGUSR1
  double wall_seconds = 0;
  bool sums_again = false;  ///< its gradients differ from those that it sent
};

/// The reports of all processes combined into one, which is equal on all of them: all batches, the
/// largest signal number, a checkpoint or a repeated sum if any process asks for it, and the clock
/// of rank 0.
PHRASEQ_API ProcessReport exchange_reports(ProcessGroup& processes, ProcessReport mine);

}  // namespace phraseq
