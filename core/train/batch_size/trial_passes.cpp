#include "core/train/batch_size/trial_passes.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/out_of_memory.h"
#include "core/nn/memory/device_memory.h"

namespace phraseq {
namespace {

/// The total lengths of both sides of some pairs.
struct Lengths {
  int64_t source = 0, target = 0;

  void add(const Corpus& corpus, int64_t pair) {
    source += corpus.source_length(pair);
    target += corpus.target_length(pair);
  }
  int64_t longer() const { return std::max(source, target); }
  int64_t shorter() const { return std::min(source, target); }
};

Lengths lengths_of(const Corpus& corpus, int64_t pair) {
  Lengths lengths;
  lengths.add(corpus, pair);
  return lengths;
}

/// Pairs that training does not skip, sorted by the length of the shorter side, longest first:
/// batches limited by the tokens of the longer side have most tokens in all if both sides are long.
std::vector<int64_t> longest_first(const Corpus& corpus, BatchingOptions positions) {
  positions.max_tokens = positions.max_sentences = 0;
  positions.shuffle = false;
  BatchPlan plan = plan_batches(corpus, positions, /*epoch=*/1);
  if (plan.batches.empty())
    throw DataError("there are no sentence pairs to train on: " + plan.skipped.text());
  std::vector<int64_t> order = std::move(plan.batches.front());
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return lengths_of(corpus, a).shorter() > lengths_of(corpus, b).shorter();
  });
  return order;
}

}  // namespace

TrialPasses::TrialPasses(TrialDependencies dependencies,
                         PassSettings settings,
                         const BatchingOptions& positions)
    : dependencies_(std::move(dependencies)), settings_(settings) {
  dependencies_.corpus->start_epoch(1);
  order_ = longest_first(*dependencies_.corpus, positions);
}

int64_t TrialPasses::longest() const {
  int64_t longest = 0;
  for (const int64_t pair : order_)
    longest = std::max(longest, lengths_of(*dependencies_.corpus, pair).longer());
  return longest;
}

int64_t TrialPasses::sentences() const { return static_cast<int64_t>(order_.size()); }

int64_t TrialPasses::tokens() const {
  Lengths all;
  for (const int64_t pair : order_) all.add(*dependencies_.corpus, pair);
  return all.longer();
}

/// The longest pairs, up to and including the one that reaches a limit. (Planned batches end before
/// that pair.)
std::vector<int64_t> TrialPasses::longest_pairs(int64_t max_tokens, int64_t max_sentences) const {
  std::vector<int64_t> pairs;
  Lengths sum;
  for (const int64_t pair : order_) {
    const bool is_full = (max_tokens > 0 && sum.longer() >= max_tokens) ||
                         (max_sentences > 0 && static_cast<int64_t>(pairs.size()) >= max_sentences);
    if (is_full)
      break;
    sum.add(*dependencies_.corpus, pair);
    pairs.push_back(pair);
  }
  return pairs;
}

/// Divides the pairs into one micro-batch per model instance: each of n gets every n-th pair.
std::vector<Batch> TrialPasses::micro_batches_of(const std::vector<int64_t>& pairs) const {
  const auto count = std::min(pairs.size(), static_cast<size_t>(workers_->count()));
  std::vector<Batch> batches;
  for (size_t first = 0; first < count; ++first) {
    std::vector<Example> examples;
    for (size_t i = first; i < pairs.size(); i += count)
      examples.push_back(dependencies_.corpus->get(pairs[i]));
    batches.push_back(dependencies_.translation_model->collate(examples));
  }
  return batches;
}

void TrialPasses::run(int64_t max_tokens, int64_t max_sentences) {
  const WorkerSettings threads = dependencies_.threads(max_tokens);
  if (!workers_ || workers_->count() != threads.workers) {
    workers_.reset();
    workers_ = std::make_unique<MicroBatchWorkers>(*dependencies_.translation_model,
                                                   *dependencies_.criterion,
                                                   dependencies_.make_criterion,
                                                   threads);
  }
  const std::vector<Batch> batches = micro_batches_of(longest_pairs(max_tokens, max_sentences));
  const auto outcomes = workers_->compute(
      static_cast<int64_t>(batches.size()), [&](const ModelInstance& instance, int64_t index) {
        return training_pass(instance, batches[static_cast<size_t>(index)], settings_, /*seed=*/1);
      });
  for (const auto& outcome : outcomes) {
    if (outcome.failure)
      std::rethrow_exception(outcome.failure);
  }
}

std::optional<int64_t> TrialPasses::bytes_of(int64_t max_tokens,
                                             int64_t max_sentences,
                                             int64_t before,
                                             int64_t bytes) {
  const at::Device device = dependencies_.translation_model->parameters->values().device();
  nn::release_memory(device);
  nn::reset_peak_memory(device);
  const nn::MemoryLimit limit(device, before + bytes);
  try {
    run(max_tokens, max_sentences);
  } catch (const std::exception& failure) {
    if (!means_out_of_memory(failure.what()))
      throw;
    return std::nullopt;
  }
  return nn::memory_use(device).peak - before;
}

}  // namespace phraseq
