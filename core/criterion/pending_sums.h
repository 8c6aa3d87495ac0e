#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"

namespace phraseq {

/// The sums of a report, and a further scalar, on their way from a device to the host. The copy is
/// queued at once and takes place when the device reaches it; what is queued later does not delay
/// it. `read_together`, in contrast, waits for everything that was queued, even later.
class PHRASEQ_API PendingSums {
 public:
  /// `extra` [] is a scalar on the device.
  PendingSums(LossReport report, const at::Tensor& extra);

  struct Values {
    LossReport report;  ///< with all sums
    double extra = 0;
  };
  /// Waits for the copy. Call it only once.
  Values take();

 private:
  LossReport report_;
  at::Tensor values_;  ///< [sums + 1] fp64 on the host, filled when `copied_` has happened
  std::optional<c10::Event> copied_;
};

}  // namespace phraseq
