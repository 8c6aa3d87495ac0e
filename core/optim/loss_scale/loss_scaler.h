#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/io/json_reader.h"
#include "core/options/option_table.h"

namespace phraseq {

/// How the loss scale of --fp16 changes; fairseq's options and defaults.
struct PHRASEQ_API LossScaleOptions : Options {
  int64_t fp16_init_scale = 128;
  int64_t fp16_scale_window = 0;  ///< updates; 0 = 2^14 / processes / batches per update
  double fp16_scale_tolerance = 0.0;
  double min_loss_scale = 1e-4;
  double threshold_loss_scale = 0.0;  ///< 0 = none

  void describe(OptionTable& table) override;
};

/// The window in updates, at least 1: --fp16-scale-window or, by default, fairseq's 2^14 divided by
/// the number of processes and by the number of batches per update. Throws UsageError for a list of
/// --update-freq, for which fairseq has no default.
PHRASEQ_API int64_t loss_scale_window(const LossScaleOptions& options,
                                      int64_t processes,
                                      const std::vector<int64_t>& update_freq);

/// The factor by which the loss is multiplied before the backward pass, so that small gradients do
/// not vanish in fp16; dynamic (Micikevicius et al. 2018, section 3.2), with exactly the rules of
/// fairseq/optim/dynamic_loss_scaler.py:
///
///   an update with a finite gradient norm   every `window` updates since the last overflow, the
///                                           scale is doubled
///   an overflow                             the update is skipped; if the share of overflows
///                                           since the scale last changed reaches `tolerance`, the
///                                           scale is halved, but not below `threshold`
class PHRASEQ_API LossScaler {
 public:
  LossScaler(const LossScaleOptions& options, int64_t window);

  double scale() const { return scale_; }
  /// Call it after an update with a finite gradient norm.
  void note_update();
  /// Call it after an overflow instead of note_update. Throws DivergenceError if the scale would
  /// reach --min-loss-scale; it then stays as it was.
  void note_overflow();

  /// The state that the checkpoint stores.
  nlohmann::json state() const;
  /// Throws FormatError.
  void restore(const JsonEntry& state);

 private:
  double tolerance_, minimum_;
  std::optional<double> threshold_;
  int64_t window_;
  double scale_;
  int64_t iteration_ = 0;
  int64_t last_overflow_ = -1;
  int64_t last_rescale_ = -1;
  int64_t overflows_since_rescale_ = 0;
};

}  // namespace phraseq
