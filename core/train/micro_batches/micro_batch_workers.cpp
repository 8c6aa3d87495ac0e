#include "core/train/micro_batches/micro_batch_workers.h"

#include <algorithm>

#include "core/nn/flat_parameters.h"

namespace phraseq {
namespace {

constexpr int64_t kTokensOfMicroBatch = 512;

}  // namespace

MicroBatchWorkers::MicroBatchWorkers(
    const TranslationModel& translation_model,
    Criterion& criterion,
    const std::function<std::unique_ptr<Criterion>()>& make_criterion,
    const WorkerSettings& settings)
    : threads_(settings.workers, settings.threads) {
  instances_.push_back({&translation_model, &criterion});
  for (int64_t i = 1; i < settings.workers; ++i) {
    replicas_.push_back(translation_model.replica());
    criterions_.push_back(make_criterion());
  }
  for (size_t i = 0; i < replicas_.size(); ++i)
    instances_.push_back({&replicas_[i], criterions_[i].get()});
}

std::vector<MicroBatchWorkers::Outcome> MicroBatchWorkers::compute(int64_t count,
                                                                   const Work& work) {
  std::vector<Outcome> outcomes(static_cast<size_t>(count));
  const auto failures = threads_.run(count, [&](int64_t micro_batch) {
    const ModelInstance& instance = instances_[static_cast<size_t>(micro_batch)];
    instance.translation_model->parameters->zero_gradients();
    outcomes[static_cast<size_t>(micro_batch)].report = work(instance, micro_batch);
  });
  for (size_t i = 0; i < outcomes.size(); ++i) outcomes[i].failure = failures[i];
  return outcomes;
}

void MicroBatchWorkers::add_gradients(int64_t count) {
  at::Tensor& sum = instances_.front().translation_model->parameters->gradients();  // [elements]
  for (int64_t micro_batch = 1; micro_batch < count; ++micro_batch)
    sum.add_(
        instances_[static_cast<size_t>(micro_batch)].translation_model->parameters->gradients());
}

WorkerSettings workers_for_batch(int64_t threads, int64_t batch_tokens) {
  const int64_t most = std::max<int64_t>(1, threads);
  const int64_t micro_batches =
      batch_tokens > 0 ? std::clamp<int64_t>(batch_tokens / kTokensOfMicroBatch, 1, most) : most;
  return {micro_batches, most / micro_batches};
}

}  // namespace phraseq
