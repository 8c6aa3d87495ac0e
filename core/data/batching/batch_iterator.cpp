#include "core/data/batching/batch_iterator.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/data/batching/prefetcher.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

/// What decides which sentences a batch holds: recorded, and compared at resume.
nlohmann::json plan_record(const BatchingOptions& options, const std::string& fingerprint) {
  return {{"corpus", fingerprint},
          {"max-tokens", options.max_tokens},
          {"max-sentences", options.max_sentences},
          {"max-source-positions", options.max_source_positions},
          {"max-target-positions", options.max_target_positions},
          {"seed", options.seed},
          {"shuffle", options.shuffle}};
}

std::vector<std::string> record_differences(const nlohmann::json& then, const nlohmann::json& now) {
  std::vector<std::string> found;
  for (const auto& [name, value] : now.items()) {
    const nlohmann::json recorded = then.value(name, nlohmann::json());
    if (recorded != value) {
      found.push_back(fmt::format("{}: was {}, now {}", name, recorded.dump(), value.dump()));
    }
  }
  return found;
}

}  // namespace

struct BatchIterator::State {
  std::shared_ptr<Corpus> corpus;
  BatchingOptions options;
  Collate collate;
  int64_t prefetch;

  int64_t epoch = 1;
  int64_t delivered = 0;
  bool end_was_told = false;
  std::optional<BatchPlan> plan;           // made when first needed: a restore may come before
  std::unique_ptr<Prefetcher> prefetcher;  // last: its thread reads the rest

  const BatchPlan& planned() {
    if (!plan) {
      corpus->start_epoch(epoch);
      plan = plan_batches(*corpus, options, epoch);
    }
    return *plan;
  }

  void go_to(int64_t new_epoch, int64_t new_delivered) {
    prefetcher.reset();
    plan.reset();
    epoch = new_epoch;
    delivered = new_delivered;
    end_was_told = false;
  }

  Batch make(const std::vector<int64_t>& indices) const {
    std::vector<Example> examples;
    examples.reserve(indices.size());
    for (const int64_t index : indices) examples.push_back(corpus->get(index));
    return collate(examples);
  }

  void start_prefetching() {
    const BatchPlan& all = planned();
    prefetcher = std::make_unique<Prefetcher>(
        [this, &all, at = static_cast<size_t>(delivered)]() mutable -> std::optional<Batch> {
          if (at == all.batches.size())
            return std::nullopt;
          return make(all.batches[at++]);
        },
        prefetch);
  }
};

BatchIterator::BatchIterator(std::shared_ptr<Corpus> corpus,
                             BatchingOptions options,
                             Collate collate,
                             int64_t prefetch)
    : state_(std::make_unique<State>()) {
  state_->corpus = std::move(corpus);
  state_->options = options;
  state_->collate = std::move(collate);
  state_->prefetch = prefetch;
}

BatchIterator::~BatchIterator() = default;

std::optional<Batch> BatchIterator::next() {
  State& state = *state_;
  if (state.end_was_told)
    state.go_to(state.epoch + 1, 0);
  if (!state.prefetcher)
    state.start_prefetching();
  std::optional<Batch> batch = state.prefetcher->next();
  if (batch) {
    ++state.delivered;
  } else {
    state.end_was_told = true;
  }
  return batch;
}

int64_t BatchIterator::epoch() const { return state_->epoch; }
int64_t BatchIterator::batches_delivered() const { return state_->delivered; }
int64_t BatchIterator::batches_in_epoch() const {
  return static_cast<int64_t>(state_->planned().batches.size());
}
const SkipReport& BatchIterator::skipped() const { return state_->planned().skipped; }

nlohmann::json BatchIterator::position() const {
  // Once the end was reported, the next batch is the next epoch's first: no flag needs to be saved.
  const bool ended = state_->end_was_told;
  return {{"epoch", state_->epoch + (ended ? 1 : 0)},
          {"batches", ended ? 0 : state_->delivered},
          {"plan", plan_record(state_->options, state_->corpus->fingerprint())}};
}

void BatchIterator::restore(const nlohmann::json& position) {
  const JsonEntry entry(position, "position in the data");
  const int64_t epoch = entry.at("epoch").whole_number();
  const int64_t delivered = entry.at("batches").whole_number();
  const auto differing = record_differences(
      entry.at("plan").object(), plan_record(state_->options, state_->corpus->fingerprint()));
  if (!differing.empty()) {
    throw FormatError(fmt::format("cannot continue at the recorded position in the data: {}",
                                  fmt::join(differing, "; ")),
                      "use the options and data of the resumed run, or start at the beginning of "
                      "the data with --reset-dataloader");
  }
  state_->go_to(epoch, delivered);
  if (epoch < 1 || delivered < 0 || delivered > batches_in_epoch()) {
    state_->go_to(1, 0);
    throw FormatError(
        fmt::format("position in the data: epoch {}, batch {} does not exist", epoch, delivered));
  }
}

}  // namespace phraseq
