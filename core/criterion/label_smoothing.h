#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/criterion/token_loss.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The published systems whose forms of label smoothing are offered.
enum class SmoothingKernel { kFairseq, kFairseq012, kTensor2Tensor, kNeutron };

/// Label-smoothed cross entropy (Szegedy et al. 2016, sec. 7) in the forms that the published
/// systems use; see nn::Smoothing for the equations. For every criterion that contains it.
struct PHRASEQ_API LabelSmoothingOptions : Options {
  double label_smoothing = 0.0;
  SmoothingKernel smoothing_kernel = SmoothingKernel::kFairseq;
  TokenLossOptions tokens;

  void describe(OptionTable& table) override;

  /// Returns the options of `token_loss` for a softmax over a vocabulary of this size.
  TokenLossOptions token_loss_options(int64_t vocabulary) const;
};

}  // namespace phraseq
