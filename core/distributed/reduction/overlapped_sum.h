#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/base/api.h"
#include "core/distributed/process_group.h"
#include "core/distributed/reduction/bucket_plan.h"
#include "core/nn/flat_parameters.h"

namespace phraseq {

/// Sums the flat gradients over all processes, bucket by bucket, while the backward pass that
/// computes them still runs.
///
/// A hook after each parameter's node in the autograd graph records that its gradient is complete;
/// it runs once per pass, even for a parameter that is used several times or whose gradient a layer
/// has written into the buffer itself. A bucket is handed over when all of its parameters are
/// complete and all buckets before it have been handed over, so every process sums the same buckets
/// in the same order. A thread then sums it with ProcessGroup::sum_into, which gives the same bits
/// as a sum after the pass.
///
/// The sums are kept apart from the gradients until `take`: if a process has to compute its
/// gradients again (no memory for a batch), all processes can sum them again.
///
///     sum.begin(contributes);
///     sum.arm({});
///     loss.backward();
///     sum.finish();
///     sum.take();
///
/// While buckets are being summed, nothing else may call the process group.
class PHRASEQ_API OverlappedSum {
 public:
  /// At most `bucket_elements` are sent at once. `processes` and `parameters` must outlive this
  /// object.
  OverlappedSum(ProcessGroup& processes,
                nn::FlatParameters& parameters,
                int64_t bucket_elements,
                Wire wire);
  ~OverlappedSum();
  OverlappedSum(const OverlappedSum&) = delete;
  OverlappedSum& operator=(const OverlappedSum&) = delete;

  /// Starts a new sum, to which the ranks with `contributes` add.
  void begin(std::vector<bool> contributes);
  /// Announces that the backward pass that follows is the last one of this process before `take`:
  /// buckets are handed over as soon as they are complete. `earlier` [elements], or undefined, is
  /// added to its gradients.
  void arm(const at::Tensor& earlier);
  /// Call it if the pass that `arm` announced failed and is computed again. Buckets that have been
  /// handed over are then useless, which `is_spoiled` reports; it waits for them.
  void abandon();
  /// Hands over the remaining buckets and waits for all of them. Throws what ProcessGroup::sum_into
  /// threw. Does nothing if all have been summed.
  void finish();
  /// Whether the sums are not those of the gradients, so all processes must sum again.
  bool is_spoiled() const { return is_spoiled_; }
  /// Overwrites the gradients with the sums.
  void take();

  /// The number of buckets of this sum that have been handed over, and of all buckets.
  size_t handed_over() const;
  size_t buckets() const { return plan_.buckets.size(); }

 private:
  struct Hooks;
  /// When the device has computed a bucket.
  struct Ready;

  void note_complete(size_t bucket);
  void hand_over_complete();
  void hand_over_next();
  void work();
  void sum_bucket(size_t number);

  ProcessGroup& processes_;
  nn::FlatParameters& parameters_;
  Wire wire_;
  BucketPlan plan_;
  at::Tensor sums_;     ///< [elements]
  at::Tensor earlier_;  ///< [elements], or undefined
  std::vector<bool> contributes_;
  std::vector<Ready> ready_;  ///< by bucket

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<int64_t> missing_;  ///< parameters of each bucket that are not complete
  size_t handed_over_ = 0;
  size_t summed_ = 0;
  bool is_armed_ = false;
  bool is_spoiled_ = false;
  bool ends_ = false;
  std::exception_ptr failure_;

  std::unique_ptr<Hooks> hooks_;
  std::thread thread_;
};

}  // namespace phraseq
