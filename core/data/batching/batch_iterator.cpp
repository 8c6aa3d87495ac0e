#include "core/data/batching/batch_iterator.h"

#include <algorithm>
#include <regex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/data/batching/prefetcher.h"
#include "core/io/json_reader.h"

namespace phraseq {
namespace {

/// Everything that determines the sentences of a batch: recorded, and compared at resume.
nlohmann::json plan_record(const BatchingOptions& options, const std::string& fingerprint) {
  return {{"corpus", fingerprint},
          {"max-tokens", options.max_tokens},
          {"max-sentences", options.max_sentences},
          {"max-source-positions", options.max_source_positions},
          {"max-target-positions", options.max_target_positions},
          {"seed", options.seed},
          {"shuffle", options.shuffle}};
}

/// The fingerprint of indexed data as 0.1.0 recorded it: without checksums of the ids.
nlohmann::json as_in_first_version(const nlohmann::json& fingerprint) {
  if (!fingerprint.is_string())
    return fingerprint;
  static const std::regex kIds(", (ids [0-9a-f]{8} [0-9a-f]{8}|tree ids [0-9a-f]{8})");
  return std::regex_replace(fingerprint.get<std::string>(), kIds, "");
}

std::vector<std::string> record_differences(const nlohmann::json& then, const nlohmann::json& now) {
  std::vector<std::string> found;
  for (const auto& [name, value] : now.items()) {
    const nlohmann::json recorded = then.value(name, nlohmann::json());
    if (recorded != value && recorded != as_in_first_version(value)) {
      found.push_back(fmt::format("{}: was {}, now {}", name, recorded.dump(), value.dump()));
    }
  }
  return found;
}

/// Every `count`th sentence of a batch, beginning at index `first`: neighbors in a batch are of
/// similar length, so that micro-batches are of similar size.
std::vector<int64_t> micro_batch_of(const std::vector<int64_t>& indices,
                                    int64_t first,
                                    int64_t count) {
  std::vector<int64_t> own;
  for (auto i = static_cast<size_t>(first); i < indices.size(); i += static_cast<size_t>(count))
    own.push_back(indices[i]);
  return own;
}

}  // namespace

struct BatchIterator::State {
  std::shared_ptr<Corpus> corpus;
  BatchingOptions options;
  Collate collate;
  int64_t prefetch;
  int64_t rank = 0;  // of the processes that share the batches
  int64_t processes = 1;
  int64_t micro_batches = 1;  // that a batch is divided into

  int64_t epoch = 1;
  int64_t delivered = 0;
  int64_t shared_from = 0;  // the first batch of the first process
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
    delivered = shared_from = new_delivered;
    end_was_told = false;
  }

  /// Gives the processes the same batches as before if their number is unchanged, so that their
  /// sums of gradients are the same to the bit, also where updates have other numbers of batches
  /// than processes.
  void share_as_before(const JsonEntry& recorded) {
    const int64_t from = recorded.at("from").whole_number(0, delivered);
    if (recorded.at("processes").whole_number() == processes)
      shared_from = from;
  }

  /// Index of this process's first batch that was not delivered yet.
  int64_t first_of_rank() const {
    const int64_t behind = (delivered - shared_from) % processes;
    return delivered + (rank - behind + processes) % processes;
  }

  Batch make(const std::vector<int64_t>& indices) const {
    std::vector<Example> examples;
    examples.reserve(indices.size());
    for (const int64_t index : indices) examples.push_back(corpus->get(index));
    return collate(examples);
  }

  /// Number of micro-batches of a batch of these sentences.
  int64_t micro_batches_of(const std::vector<int64_t>& indices) const {
    return std::clamp<int64_t>(static_cast<int64_t>(indices.size()), 1, micro_batches);
  }

  int64_t owner_of(int64_t batch) const { return (batch - shared_from) % processes; }

  /// A micro-batch of the plan.
  struct Cursor {
    int64_t batch = 0;
    int64_t micro_batch = 0;
  };

  /// Makes the micro-batch at the cursor and moves it to this process's next one; nothing at the
  /// end of the epoch.
  std::optional<Batch> make_next(Cursor& cursor) const {
    if (cursor.batch >= static_cast<int64_t>(plan->batches.size()))
      return std::nullopt;
    const auto& indices = plan->batches[static_cast<size_t>(cursor.batch)];
    const int64_t count = micro_batches_of(indices);
    const int64_t micro_batch = cursor.micro_batch;
    cursor.micro_batch = (micro_batch + 1) % count;
    if (cursor.micro_batch == 0)
      cursor.batch += processes;
    return make(micro_batch_of(indices, micro_batch, count));
  }

  void start_prefetching() {
    planned();  // before the thread, which only reads it
    const int64_t depth = prefetch * micro_batches;
    prefetcher = std::make_unique<Prefetcher>(
        [this, cursor = Cursor{first_of_rank()}]() mutable { return make_next(cursor); }, depth);
  }

  /// Moves to the next epoch if the last call returned the end; starts prefetching.
  void begin() {
    if (end_was_told)
      go_to(epoch + 1, 0);
    if (!prefetcher)
      start_prefetching();
  }

  int64_t target_tokens(const std::vector<int64_t>& indices) const {
    int64_t tokens = 0;
    for (const int64_t index : indices) tokens += corpus->target_length(index);
    return tokens;
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
  auto planned = next_planned();
  return planned ? std::optional(std::move(planned->micro_batches.front())) : std::nullopt;
}

void BatchIterator::share(int64_t rank, int64_t size) {
  state_->go_to(state_->epoch, state_->delivered);
  state_->rank = rank;
  state_->processes = size;
}

void BatchIterator::divide(int64_t micro_batches) {
  state_->go_to(state_->epoch, state_->delivered);
  state_->micro_batches = micro_batches;
}

std::optional<PlannedBatch> BatchIterator::next_planned() {
  State& state = *state_;
  state.begin();
  if (state.delivered == batches_in_epoch()) {
    state.end_was_told = true;
    return std::nullopt;
  }
  const auto& indices = state.planned().batches[static_cast<size_t>(state.delivered)];
  PlannedBatch planned;
  planned.owner = state.owner_of(state.delivered);
  planned.sentence_ids = indices;
  if (planned.owner == state.rank) {
    for (int64_t left = state.micro_batches_of(indices); left > 0; --left)
      planned.micro_batches.push_back(*state.prefetcher->next());
  }
  planned.target_tokens = state.target_tokens(indices);
  ++state.delivered;
  return planned;
}

Batch BatchIterator::batch_of(const std::vector<int64_t>& sentence_ids) const {
  return state_->make(sentence_ids);
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
  nlohmann::json position = {{"epoch", state_->epoch + (ended ? 1 : 0)},
                             {"batches", ended ? 0 : state_->delivered},
                             {"plan", plan_record(state_->options, state_->corpus->fingerprint())}};
  if (state_->processes > 1)
    position["shared"] = {{"from", ended ? 0 : state_->shared_from},
                          {"processes", state_->processes}};
  return position;
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
                      "Use the options and data of the resumed run, or start at the beginning of "
                      "the data with --reset-dataloader.");
  }
  state_->go_to(epoch, delivered);
  if (entry.has("shared"))
    state_->share_as_before(entry.at("shared"));
  if (epoch < 1 || delivered < 0 || delivered > batches_in_epoch()) {
    state_->go_to(1, 0);
    throw FormatError(
        fmt::format("position in the data: epoch {}, batch {} does not exist", epoch, delivered));
  }
}

}  // namespace phraseq
