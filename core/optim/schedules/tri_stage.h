#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/optim/lr_scheduler.h"

namespace phraseq {

/// The options of TriStage: w, h, d, and the scales of the first and the last rate.
struct PHRASEQ_API TriStageOptions : Options {
  int64_t warmup_steps = 0;
  int64_t hold_steps = 0;
  int64_t decay_steps = 0;
  std::vector<double> phase_ratio;  ///< shares of --max-update, in place of the three numbers
  double init_lr_scale = 0.01;
  double final_lr_scale = 0.01;
  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Three stages (Park et al. 2019), as in fairseq's tri_stage: from init_scale · lr linearly to lr
/// in w updates, lr for h updates, then lr · final_scale^(c/d) for c = 0 … d updates, and lr ·
/// final_scale from there on.
class PHRASEQ_API TriStage final : public LrScheduler {
 public:
  TriStage(const TriStageOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;

 private:
  double peak_, init_, final_;
  double final_scale_;
  int64_t warmup_, hold_, decay_;
};

}  // namespace phraseq
