#include "core/train/update/out_of_memory_recovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/out_of_memory.h"
#include "core/base/wording/counted.h"
#include "core/nn/memory/device_memory.h"

namespace phraseq {
namespace {

std::string shape_text(const Batch& batch) {
  return fmt::format("{}, {} source and {} target tokens, longest {} and {}",
                     counted(batch.target_in.sentences(), "sentence"),
                     batch.source.tokens(),
                     batch.target_in.tokens(),
                     batch.source.max_length(),
                     batch.target_in.max_length());
}

}  // namespace

int64_t counted_tokens(const Batch& batch) {
  return std::max(batch.source.tokens(), batch.target_in.tokens());
}

OutOfMemoryRecovery::OutOfMemoryRecovery(const RecoveryDependencies& dependencies,
                                         const RecoveryOptions& options)
    : dependencies_(dependencies), options_(options), memory_(dependencies.device) {}

/// The advice for batches that did not fit can only be computed after the first batch that fits.
void OutOfMemoryRecovery::record_success(int64_t tokens) {
  skipped_in_a_row_ = 0;
  memory_.end_pass(tokens);
  if (failed_tokens_ == 0)
    return;
  log(advice(failed_tokens_));
  failed_tokens_ = 0;
}

void OutOfMemoryRecovery::recover(const std::exception_ptr& failure,
                                  UpdateGroup& group,
                                  size_t index) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    if (!means_out_of_memory(known.what()))
      throw;
    split_or_skip(known.what(), group, index);
  }
}

void OutOfMemoryRecovery::split_or_skip(const std::string& reason,
                                        UpdateGroup& group,
                                        size_t index) {
  nn::release_memory(dependencies_.device);
  const auto at = group.micro_batches.begin() + static_cast<int64_t>(index);
  if (at->batch.sentences() > 1)
    return split(group, index);
  skip(at->batch, reason);
  group.micro_batches.erase(at);
}

void OutOfMemoryRecovery::split(UpdateGroup& group, size_t index) {
  MicroBatch& whole = group.micro_batches[index];
  report("divided", whole.batch);
  const std::vector<int64_t> ids = whole.batch.sentence_ids;
  const auto middle = ids.begin() + static_cast<int64_t>(ids.size() / 2);
  whole.batch = dependencies_.batches->batch_of({ids.begin(), middle});
  MicroBatch rest{whole.position,
                  dependencies_.batches->batch_of({middle, ids.end()}),
                  static_cast<int64_t>(group.micro_batches.size())};
  group.micro_batches.insert(group.micro_batches.begin() + static_cast<int64_t>(index) + 1,
                             std::move(rest));
}

/// Throws after too many skipped sentences in a row: there is no memory for any batch.
void OutOfMemoryRecovery::skip(const Batch& batch, const std::string& reason) {
  if (++skipped_in_a_row_ < options_.most_skipped_in_a_row)
    return report("skipped", batch);
  throw OutOfMemory(fmt::format("{} sentences in a row, the last one with {}: {}{}",
                                skipped_in_a_row_,
                                shape_text(batch),
                                reason,
                                memory_.largest() > 0 ? "; " + advice(counted_tokens(batch)) : ""));
}

/// Logs what was done with the batch: "divided" or "skipped".
void OutOfMemoryRecovery::report(const std::string& done, const Batch& batch) {
  const std::string shape = shape_text(batch);
  const int64_t tokens = counted_tokens(batch);
  if (memory_.largest() == 0)
    failed_tokens_ = tokens;
  log(fmt::format(
      "{} a batch because of insufficient memory ({}); {}", done, shape, advice(tokens)));
  dependencies_.log->event(done + "_batch",
                           {{"updates", dependencies_.state->updates}, {"shape", shape}});
}

void OutOfMemoryRecovery::log(const std::string& text) const {
  if (dependencies_.is_first_process)
    log_warning(text);
  else
    log_error(text);
}

/// Suggests a --max-tokens that would fit, estimated from the batches that did.
std::string OutOfMemoryRecovery::advice(int64_t tokens) const {
  const std::string recompute =
      options_.checkpoint_activations ? "" : ", or give --checkpoint-activations";
  return memory_.advice(tokens, nn::free_memory(dependencies_.device)) + recompute;
}

}  // namespace phraseq
