#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

struct LrSchedulerSetup {
  double lr = 0;            ///< --lr, the peak or the constant
  int64_t model_width = 0;  ///< d, for noam
  int64_t max_update = 0;   ///< for cosine and polynomial when no length is given
};

/// The learning rate as a function of the number of finished updates: nothing to save, nothing to
/// restore. The first update runs at `rate(0)`.
class PHRASEQ_API LrScheduler {
 public:
  static constexpr const char* kKind = "lr_scheduler";
  using Setup = LrSchedulerSetup;
  using Factory = std::function<std::unique_ptr<LrScheduler>(const Options&, const Setup&)>;

  virtual ~LrScheduler() = default;
  virtual double rate(int64_t finished_updates) const = 0;
};

}  // namespace phraseq
