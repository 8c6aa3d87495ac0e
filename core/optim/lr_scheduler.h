#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The arguments of a schedule besides its options.
struct LrSchedulerSetup {
  double lr = 0;                     ///< --lr, the peak or the constant; the first of a list
  int64_t model_width = 0;           ///< d, for noam
  int64_t max_update = 0;            ///< for cosine and polynomial if no length is given
  std::vector<double> lr_list = {};  ///< all values of --lr
  bool larger_is_better = false;     ///< of the metric that validations compute
};

/// The learning rate as a function of the number of finished updates. The first update runs at
/// `rate(0)`. A schedule that depends on nothing else overrides only `rate` and has nothing to save
/// or restore.
class PHRASEQ_API LrScheduler {
 public:
  static constexpr const char* kKind = "lr_scheduler";
  using Setup = LrSchedulerSetup;
  using Factory = std::function<std::unique_ptr<LrScheduler>(const Options&, const Setup&)>;

  virtual ~LrScheduler() = default;
  virtual double rate(int64_t finished_updates) const = 0;

  /// Whether --lr may be a list.
  virtual bool takes_lr_list() const { return false; }
  /// Called before the first update of an epoch (from 1 on), and after a resume.
  virtual void begin_epoch(int64_t /*epoch*/) {}
  /// Called at the end of an epoch; `value` is that of --best-checkpoint-metric, if it was
  /// computed.
  virtual void end_epoch(int64_t /*finished_updates*/, std::optional<double> /*value*/) {}
  /// The state that `end_epoch` changes, by name; it is stored in checkpoints and restored when a
  /// run is resumed.
  virtual std::map<std::string, double> state() const { return {}; }
  virtual void restore(const std::map<std::string, double>& /*state*/) {}
  /// Called after `restore` if the values of later epochs will be from a different metric.
  virtual void forget_values() {}
};

}  // namespace phraseq
