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

/// The arguments of an optimizer besides its options.
struct OptimizerSetup {
  nn::FlatParameters* parameters = nullptr;  ///< with their gradients; not owned
};

/// Updates the parameters with their gradients, in one pass over the flat buffers; also updates the
/// bf16 copy if there is one.
class PHRASEQ_API Optimizer {
 public:
  static constexpr const char* kKind = "optimizer";
  using Setup = OptimizerSetup;
  using Factory = std::function<std::unique_ptr<Optimizer>(const Options&, const Setup&)>;

  virtual ~Optimizer() = default;
  /// Takes one step with g = gradient_scale · ∂loss/∂p for each parameter p: the scale, which
  /// includes the normalization of the loss and clipping, multiplies each gradient as it is read.
  virtual void step(double learning_rate, double gradient_scale) = 0;
  /// Whether `step_if` is implemented.
  virtual bool can_step_if() const { return false; }
  /// Takes the same step if `take_step`, a bool [], is true; otherwise only `steps` changes, even
  /// if gradients are not finite. `take_step` and `gradient_scale`, fp64 [], are on the device of
  /// the parameters, and the host does not wait for their values: a caller that learns later that
  /// no step was taken must correct `steps`.
  virtual void step_if(const at::Tensor& take_step,
                       double learning_rate,
                       const at::Tensor& gradient_scale);
  /// Returns the state by name ("exp_avg" …): flat tensors that the checkpoint stores and restores
  /// in place. All of them already exist before the first step.
  virtual std::map<std::string, at::Tensor> state() = 0;
  /// Whether a step changes each element based only on its own gradient and state, and each tensor
  /// of the state has one element per element of the parameters, or has a value that does not
  /// depend on the parameters. Several processes can then divide the parameters among them
  /// (--zero-sharding); each makes the optimizer for a slice of the parameters, which has no
  /// entries.
  virtual bool is_elementwise() const { return false; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 protected:
  int64_t steps_ = 0;
};

}  // namespace phraseq
