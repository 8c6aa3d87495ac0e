#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/nn/flat_parameters.h"
#include "core/options/option_table.h"

namespace phraseq {

struct OptimizerSetup {
  nn::FlatParameters* parameters = nullptr;
};

/// Changes the parameters by their gradients, in one pass over the flat buffers; also renews the
/// bf16 copy when there is one.
class PHRASEQ_API Optimizer {
 public:
  static constexpr const char* kKind = "optimizer";
  using Setup = OptimizerSetup;
  using Factory = std::function<std::unique_ptr<Optimizer>(const Options&, const Setup&)>;

  virtual ~Optimizer() = default;
  /// `gradient_scale` multiplies each gradient as it is read: loss normalization and clipping
  /// folded in.
  virtual void step(double learning_rate, double gradient_scale) = 0;
  /// The state by name ("exp_avg" …): flat tensors that the checkpoint stores and restores in
  /// place.
  virtual std::map<std::string, at::Tensor> state() = 0;
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 protected:
  int64_t steps_ = 0;
};

}  // namespace phraseq
