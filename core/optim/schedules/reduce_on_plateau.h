#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/api.h"
#include "core/optim/lr_scheduler.h"

namespace phraseq {

/// The options of ReduceOnPlateau; lr_patience counts epochs.
struct PHRASEQ_API ReduceOnPlateauOptions : Options {
  double lr_shrink = 0.1;
  double lr_threshold = 1e-4;
  int64_t lr_patience = 0;
  int64_t warmup_updates = 0;
  double warmup_init_lr = -1;  ///< below 0: 0
  void describe(OptionTable& table) override;
};

/// While n <= w: init + n (lr - init)/w; then lr, multiplied by the shrink factor whenever more
/// than `lr_patience` epochs in a row have not improved the validation metric by the relative
/// threshold (fairseq's reduce_lr_on_plateau, torch's ReduceLROnPlateau). Epochs that end within
/// the warm-up do not count. The number of bad epochs is also saved in checkpoints; fairseq does
/// not save it.
class PHRASEQ_API ReduceOnPlateau final : public LrScheduler {
 public:
  ReduceOnPlateau(const ReduceOnPlateauOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;
  void end_epoch(int64_t finished_updates, std::optional<double> value) override;
  std::map<std::string, double> state() const override;
  void restore(const std::map<std::string, double>& state) override;
  void forget_values() override;

 private:
  bool is_better(double value) const;

  ReduceOnPlateauOptions options_;
  double peak_, init_;
  bool larger_is_better_;
  double lr_;
  std::optional<double> best_;
  int64_t bad_epochs_ = 0;
};

}  // namespace phraseq
