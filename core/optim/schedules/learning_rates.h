#pragma once

#include <cstdint>
#include <vector>

#include "core/base/api.h"
#include "core/optim/lr_scheduler.h"

/// The built-in schedules; n = finished updates (the first update runs at n = 0), lr = --lr, w =
/// --warmup-updates.
namespace phraseq {

/// w, a and the shrink factor of ConstantRate.
struct PHRASEQ_API ConstantRateOptions : Options {
  int64_t warmup_updates = 0;
  int64_t force_anneal = 0;  ///< 0 = never
  double lr_shrink = 0.1;
  void describe(OptionTable& table) override;
};

/// The rate of the epoch; while n < w, multiplied by (n+1)/w, so the first update is not lost
/// (fairseq's "fixed"). The rate of epoch e: the e-th value of --lr, or the last one; from epoch a
/// = --force-anneal on: the last one · shrink^(e+1-a).
class PHRASEQ_API ConstantRate final : public LrScheduler {
 public:
  ConstantRate(const ConstantRateOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;
  bool takes_lr_list() const override { return true; }
  void begin_epoch(int64_t epoch) override;

 private:
  ConstantRateOptions options_;
  std::vector<double> list_;
  double lr_;
};

/// w and init of InverseSqrt.
struct PHRASEQ_API InverseSqrtOptions : Options {
  int64_t warmup_updates = 4000;
  double warmup_init_lr = -1;  ///< below 0: 0
  void describe(OptionTable& table) override;
};

/// While n < w: init + n (lr - init)/w; then lr · √(w/n): the first update runs at init, the peak
/// is reached at update w+1 (fairseq's inverse_sqrt).
class PHRASEQ_API InverseSqrt final : public LrScheduler {
 public:
  InverseSqrt(const InverseSqrtOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;

 private:
  double warmup_, init_, lr_;
};

/// w and the scale of Noam.
struct PHRASEQ_API NoamOptions : Options {
  int64_t warmup_updates = 4000;
  double lr_scale = 1.0;
  void describe(OptionTable& table) override;
};

/// scale · d^-0.5 · min(s^-0.5, s · w^-1.5), s = n+1, d = the model's width (Vaswani et al. 2017,
/// eq. 3). --lr is not used.
class PHRASEQ_API Noam final : public LrScheduler {
 public:
  Noam(const NoamOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;

 private:
  double warmup_, factor_;
};

/// The options of Cosine: w, init, min, mult, P and shrink.
struct PHRASEQ_API CosineOptions : Options {
  int64_t warmup_updates = 0;
  double warmup_init_lr = -1;  ///< below 0: min_lr
  double min_lr = 0;
  double t_mult = 1;
  int64_t lr_period_updates = -1;  ///< not above 0: --max-update minus the warm-up
  double lr_shrink = 0.1;
  void describe(OptionTable& table) override;
};

/// Warm restarts (Loshchilov & Hutter 2017, eq. 5), with fairseq's warm-up and shrinking: in period
/// i, of length P·multⁱ, c updates after its start: shrinkⁱ (min + (lr - min)(1 + cos(π c /
/// length))/2).
class PHRASEQ_API Cosine final : public LrScheduler {
 public:
  Cosine(const CosineOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;

 private:
  CosineOptions options_;
  double lr_, period_, init_;
};

/// w, total, end and power of Polynomial.
struct PHRASEQ_API PolynomialOptions : Options {
  int64_t warmup_updates = 0;
  int64_t total_num_update = -1;  ///< not above 0: --max-update
  double end_learning_rate = 0;
  double power = 1;
  void describe(OptionTable& table) override;
};

/// While n <= w: lr · n/w; then end + (lr - end)(1 - (n-w)/(total-w))^power; end from `total` on
/// (fairseq's polynomial_decay).
class PHRASEQ_API Polynomial final : public LrScheduler {
 public:
  Polynomial(const PolynomialOptions& options, const LrSchedulerSetup& setup);
  double rate(int64_t finished_updates) const override;

 private:
  PolynomialOptions options_;
  double lr_, total_;
};

}  // namespace phraseq
