#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The moving average's options, with fairseq's names (--store-ema, --ema-decay …).
struct PHRASEQ_API MovingAverageOptions : Options {
  bool store_ema = false;
  double ema_decay = 0.0;  ///< 0: off, or fairseq's 0.9999 with store_ema
  int64_t ema_start_update = 0;
  int64_t ema_update_freq = 1;

  void describe(OptionTable& table) override;
  bool enabled() const { return store_ema || ema_decay > 0; }
  double decay() const;
};

/// The exponential moving average of the parameters (fairseq's EMA): after each update a = decay ·
/// a + (1 - decay) · p, with decay 0 before --ema-start-update. It always has the parameters' type.
class PHRASEQ_API ParameterAverage {
 public:
  /// Starts from the current parameters.
  ParameterAverage(const MovingAverageOptions& options, nn::FlatParameters& parameters);

  /// Updates the average after an update of the parameters; `updates` includes it.
  void update(int64_t updates);
  /// Restarts from the current parameters.
  void restart();
  /// Exchanges the average and the trained parameters, bit for bit.
  void swap();
  /// The average or the trained parameters, whichever is not in use: [elements].
  const at::Tensor& other() const { return other_; }

 private:
  MovingAverageOptions options_;
  nn::FlatParameters& parameters_;
  at::Tensor other_;
  at::Tensor part_;  ///< space for an exchange that must not fail
};

/// Puts the average in place of the trained parameters while this object exists; does nothing
/// without an average.
class PHRASEQ_API AverageInUse {
 public:
  explicit AverageInUse(ParameterAverage* average) : average_(average) {
    if (average_ != nullptr)
      average_->swap();
  }
  ~AverageInUse() {
    if (average_ != nullptr)
      average_->swap();
  }
  AverageInUse(const AverageInUse&) = delete;
  AverageInUse& operator=(const AverageInUse&) = delete;

 private:
  ParameterAverage* average_;
};

}  // namespace phraseq
