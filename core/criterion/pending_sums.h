#pragma once

#include <optional>

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include "core/base/api.h"
#include "core/criterion/loss_report.h"

namespace phraseq {

/// The sums of a report, and a further scalar, on their way from a device to the host. The copy is
/// queued at once and takes place when the device reaches it; work that is queued later does not
/// delay it. `read_together`, in contrast, waits for all queued work, including later work.
class PHRASEQ_API PendingSums {
 public:
  /// `extra` [] is a scalar on the device.
  PendingSums(LossReport report, const at::Tensor& extra);

  struct Values {
    LossReport report;  ///< includes all sums
    double extra = 0;
  };
  /// Waits for the copy. Call it only once.
  Values take();

 private:
  LossReport report_;
  at::Tensor values_;  ///< [sums + 1] fp64 on the host, valid after the event `copied_`
  std::optional<c10::Event> copied_;
};

}  // namespace phraseq
