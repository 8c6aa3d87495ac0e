#include "core/distributed/sharding/sharded_optimizer.h"

#include <algorithm>

#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/optim/run_update.h"
#include "core/optim/sixteen_bit_copies.h"

namespace phraseq {
namespace {

/// Whole blocks for each process.
int64_t shard_size_of(int64_t elements, int processes) {
  const int64_t blocks = (elements + kUpdateBlock - 1) / kUpdateBlock;
  return (blocks + processes - 1) / processes * kUpdateBlock;
}

}  // namespace

ShardedOptimizer::ShardedOptimizer(const Make& make,
                                   const std::string& name,
                                   nn::FlatParameters& parameters,
                                   ProcessGroup& processes)
    : parameters_(parameters),
      processes_(processes),
      shard_size_(shard_size_of(parameters.values().numel(), processes.size())),
      begin_(std::min(processes.rank() * shard_size_, parameters.values().numel())),
      own_(parameters.slice(begin_, std::min(shard_size_, parameters.values().numel() - begin_))),
      optimizer_(make({&own_})) {
  if (!optimizer_->is_elementwise()) {
    throw UsageError(
        fmt::format("--zero-sharding os cannot divide the state of --optimizer {}", name),
        "Use --zero-sharding none, or an optimizer that updates every element independently, for "
        "example adam.");
  }
}

void ShardedOptimizer::step(double learning_rate, double gradient_scale) {
  optimizer_->set_steps(steps_);
  optimizer_->step(learning_rate, gradient_scale);
  steps_ = optimizer_->steps();
  processes_.gather_shards(parameters_.values(), shard_size_);
  refresh_sixteen_bit_copies(parameters_);
}

/// What is not divided is equal in all processes.
bool ShardedOptimizer::is_divided(const at::Tensor& tensor) const {
  return tensor.dim() == 1 && tensor.numel() == own_.values().numel();
}

/// For the shards of all: [elements], zeros on the CPU.
at::Tensor ShardedOptimizer::whole_like(const at::Tensor& part) const {
  return at::zeros({parameters_.values().numel()}, at::TensorOptions(part.scalar_type()));
}

at::Tensor ShardedOptimizer::own_part(const at::Tensor& whole) const {
  return whole.narrow(0, begin_, own_.values().numel());  // [own elements]
}

std::map<std::string, at::Tensor> ShardedOptimizer::state() {
  if (!whole_.empty())
    return whole_;
  for (const auto& [name, tensor] : optimizer_->state()) {
    whole_[name] = is_divided(tensor) ? whole_like(tensor) : tensor;
  }
  return whole_;
}

void ShardedOptimizer::collect() {
  whole_.clear();
  for (const auto& [name, tensor] : optimizer_->state()) {
    at::Tensor whole = is_divided(tensor) ? whole_like(tensor) : tensor;  // [elements]
    if (is_divided(tensor)) {
      own_part(whole).copy_(tensor);
      processes_.gather_shards(whole, shard_size_);
    }
    if (processes_.is_first())
      whole_[name] = whole;
  }
}

void ShardedOptimizer::distribute() {
  if (processes_.text_of_first(whole_.empty() ? "" : "restored").empty())
    return;
  for (auto& [name, tensor] : optimizer_->state()) {
    at::Tensor own = tensor;
    if (!is_divided(own)) {
      processes_.take_from_first(own);
      continue;
    }
    at::Tensor whole = processes_.is_first() ? whole_.at(name) : whole_like(own);  // [elements]
    processes_.take_from_first(whole);
    own.copy_(own_part(whole));
  }
  release();
}

}  // namespace phraseq
