#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"

namespace phraseq {

/// The name of the extra sum that counts the tokens to which the extras refer, if these are fewer
/// than the tokens by which losses are divided.
inline constexpr const char* kJudgedTokens = "judged_tokens";

/// The names of the two sums that every report has, for LossReport::add_sum.
inline constexpr const char* kLossSum = "loss_sum";
inline constexpr const char* kNllSum = "nll_sum";

/// A batch's loss and statistics as sums (natural logarithm), so that accumulation, data
/// parallelism and validation are exact. Divide by `tokens` or `sentences` last.
struct PHRASEQ_API LossReport {
  at::Tensor loss;  ///< scalar, the sum; differentiable when training
  double loss_sum = 0;
  double nll_sum = 0;
  int64_t tokens = 0;
  int64_t sentences = 0;
  std::map<std::string, double> extras;  ///< further sums ("correct" …)
  /// Sums that are still on the GPU, fp64 scalars by name: kLossSum, kNllSum, or the name of an
  /// extra. `read` adds them to the members above; until then, the host does not wait for the GPU.
  std::map<std::string, at::Tensor> on_device;

  void add(const LossReport& other);  ///< sums only, not `loss`
  /// Adds x, a scalar tensor, to the sum of this name: on the host if x is there, otherwise in
  /// `on_device`.
  void add_sum(const std::string& name, const at::Tensor& x);
  /// The sum of this name, without the part that is still on the device.
  double& sum_of(const std::string& name);
  void multiply_sum(const std::string& name, double factor);
  /// Copies the sums that are still on the device, all at once, and waits for them.
  void read();
  /// Returns the extras as fractions, "NAME_per_token": divided by kJudgedTokens if the criterion
  /// adds that sum, otherwise by `tokens`.
  std::map<std::string, double> extras_per_token() const;
};

/// Reads the sums of all reports and the scalar `extra` with one copy from the device; returns the
/// value of `extra`.
PHRASEQ_API double read_together(const std::vector<LossReport*>& reports, const at::Tensor& extra);

}  // namespace phraseq
