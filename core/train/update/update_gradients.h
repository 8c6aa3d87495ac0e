#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/distributed/process_report.h"
#include "core/distributed/reduction/overlapped_sum.h"
#include "core/nn/flat_parameters.h"
#include "core/train/micro_batches/micro_batch_workers.h"
#include "core/train/micro_batches/training_pass.h"
#include "core/train/update/out_of_memory_recovery.h"
#include "core/train/update/update_group.h"

namespace phraseq {

/// Everything UpdateGradients uses; all of it must outlive the object.
struct GradientDependencies {
  nn::FlatParameters* parameters = nullptr;
  MicroBatchWorkers* workers = nullptr;  ///< with instances of the model of these parameters
  ProcessGroup* processes = nullptr;
  OutOfMemoryRecovery* recovery = nullptr;
};

/// How processes sum their gradients.
struct SumSettings {
  Wire wire = Wire::kSame;
  int64_t bucket_bytes = 0;  ///< size of the sums during the backward pass; 0: all after it
};

/// How the passes of one update are computed.
struct UpdatePass {
  PassSettings settings;
  uint64_t seed = 0;  ///< of the dropout masks, which also depend on the index of a batch
};

/// Computes the gradients of updates, in the parameters' buffer.
///
/// The gradient of each batch is computed separately, as the sum of its micro-batches in order, and
/// the gradients are added in the order of the batches, so processes that compute one batch each
/// get the same bits. A micro-batch that does not fit into memory is divided or taken out of the
/// group; those before it are not computed again.
class PHRASEQ_API UpdateGradients {
 public:
  UpdateGradients(const GradientDependencies& dependencies, const SumSettings& settings);
  UpdateGradients(const UpdateGradients&) = delete;
  UpdateGradients& operator=(const UpdateGradients&) = delete;

  /// Computes the sums of those batches of this process that fit into memory. If there are several
  /// processes, all of them must call `sum` next.
  BatchReports compute(UpdateGroup& group, const UpdatePass& pass);
  /// True if buckets were sent that do not hold the final gradients: all processes must sum again.
  bool is_spoiled() const { return overlapped_ && overlapped_->is_spoiled(); }
  /// Replaces the gradients by their sum over all processes. `contributes` is indexed by rank.
  void sum(const std::vector<bool>& contributes, bool again);

 private:
  BatchReports compute_own(UpdateGroup& group, const UpdatePass& pass);
  std::exception_ptr compute_next(const UpdateGroup& group,
                                  const UpdatePass& pass,
                                  const at::Tensor& so_far,
                                  BatchReports& reports);
  int64_t micro_batches_at_once(const UpdateGroup& group) const;
  std::vector<MicroBatchWorkers::Outcome> compute_micro_batches(const UpdateGroup& group,
                                                                const UpdatePass& pass,
                                                                int64_t count);
  std::exception_ptr add_reports(const std::vector<MicroBatchWorkers::Outcome>& outcomes,
                                 const UpdateGroup& group,
                                 BatchReports& reports);

  GradientDependencies dependencies_;
  Wire wire_;
  std::unique_ptr<OverlappedSum> overlapped_;  ///< null: the gradients are summed afterwards
  at::Tensor gradient_sum_;                    ///< [elements], of the earlier batches of an update
  size_t running_ = 0;                         ///< index in UpdateGroup::micro_batches
};

}  // namespace phraseq
