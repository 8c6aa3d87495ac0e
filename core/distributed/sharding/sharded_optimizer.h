#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/distributed/process_group.h"
#include "core/optim/optimizer.h"

namespace phraseq {

/// An optimizer whose state is divided between processes: stage 1 of ZeRO (Rajbhandari et al. 2020,
/// arXiv:1910.02054, section 5.1), fairseq's --zero-sharding os.
///
/// The flat parameters are cut into shards of whole blocks of the update kernels, one for each
/// process. Each process makes its optimizer for its own shard, updates it with the gradients, of
/// which all processes have a complete copy, and then receives the shards of the others. Every
/// element undergoes the same operations as without the division, in blocks that begin at the same
/// elements, so the parameters have the same bits.
class PHRASEQ_API ShardedOptimizer final : public Optimizer {
 public:
  using Make = std::function<std::unique_ptr<Optimizer>(const OptimizerSetup&)>;

  /// Throws UsageError if the optimizer cannot be divided (Optimizer::is_elementwise); `name` is
  /// its name for the user. `parameters` and `processes` must outlive the object.
  ShardedOptimizer(const Make& make,
                   const std::string& name,
                   nn::FlatParameters& parameters,
                   ProcessGroup& processes);

  /// All processes must call it.
  void step(double learning_rate, double gradient_scale) override;

  /// The state of all shards, on the CPU: after `collect` or before `distribute` in the first
  /// process; zeros otherwise.
  std::map<std::string, at::Tensor> state() override;

  /// Fills `state` in the first process; all processes must call it.
  void collect();
  /// Gives every process its shard of what was written into `state` in the first one, if anything
  /// was; all processes must call it.
  void distribute();
  /// Frees the memory of `state`.
  void release() { whole_.clear(); }

 private:
  bool is_divided(const at::Tensor& tensor) const;
  /// Zeros on the CPU for the shards of all processes, [elements], in the type of `part`.
  at::Tensor whole_like(const at::Tensor& part) const;
  /// This process's shard of `whole`: a view.
  at::Tensor own_part(const at::Tensor& whole) const;

  nn::FlatParameters& parameters_;
  ProcessGroup& processes_;
  int64_t shard_size_;  ///< elements; fewer in the last process, or none
  int64_t begin_;       ///< of this process's shard
  nn::FlatParameters own_;
  std::unique_ptr<Optimizer> optimizer_;
  std::map<std::string, at::Tensor> whole_;
};

}  // namespace phraseq
