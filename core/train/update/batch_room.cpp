#include "core/train/update/batch_room.h"

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

BatchRoom::BatchRoom(const BatchRoomParts& parts, const BatchRoomOptions& options)
    : parts_(parts), options_(options), memory_(parts.device) {}

/// The first batch that fits after others did not tells what would have.
void BatchRoom::note_fitted(int64_t tokens) {
  skipped_in_a_row_ = 0;
  memory_.end_pass(tokens);
  if (tokens_without_room_ == 0)
    return;
  log(advice(tokens_without_room_));
  tokens_without_room_ = 0;
}

void BatchRoom::make_after(const std::exception_ptr& failure, UpdateGroup& group, size_t place) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& known) {
    if (!means_out_of_memory(known.what()))
      throw;
    make(known.what(), group, place);
  }
}

void BatchRoom::make(const std::string& reason, UpdateGroup& group, size_t place) {
  nn::release_memory(parts_.device);
  const auto at = group.own.begin() + static_cast<int64_t>(place);
  if (at->batch.sentences() > 1)
    return divide(group, place);
  skip(at->batch, reason);
  group.own.erase(at);
}

void BatchRoom::divide(UpdateGroup& group, size_t place) {
  UpdateGroup::Own& whole = group.own[place];
  note("divided", whole.batch);
  const std::vector<int64_t> ids = whole.batch.sentence_ids;
  const auto middle = ids.begin() + static_cast<int64_t>(ids.size() / 2);
  whole.batch = parts_.batches->batch_of({ids.begin(), middle});
  UpdateGroup::Own rest{whole.position,
                        parts_.batches->batch_of({middle, ids.end()}),
                        static_cast<int64_t>(group.own.size())};
  group.own.insert(group.own.begin() + static_cast<int64_t>(place) + 1, std::move(rest));
}

/// Too many in a row end the run: there is no memory for any.
void BatchRoom::skip(const Batch& batch, const std::string& reason) {
  if (++skipped_in_a_row_ < options_.most_skipped_in_a_row)
    return note("skipped", batch);
  throw OutOfMemory(fmt::format("{} sentences in a row, the last one with {}: {}{}",
                                skipped_in_a_row_,
                                shape_text(batch),
                                reason,
                                memory_.largest() > 0 ? "; " + advice(counted_tokens(batch)) : ""));
}

/// `done` with the batch: "divided" or "skipped".
void BatchRoom::note(const std::string& done, const Batch& batch) {
  const std::string shape = shape_text(batch);
  const int64_t tokens = counted_tokens(batch);
  if (memory_.largest() == 0)
    tokens_without_room_ = tokens;
  log(fmt::format(
      "{} a batch because of insufficient memory ({}); {}", done, shape, advice(tokens)));
  parts_.log->event(done + "_batch", {{"updates", parts_.state->updates}, {"shape", shape}});
}

void BatchRoom::log(const std::string& text) const {
  if (parts_.is_first_process)
    log_warning(text);
  else
    log_error(text);
}

/// What --max-tokens would fit, by the batches that did.
std::string BatchRoom::advice(int64_t tokens) const {
  const std::string recompute =
      options_.checkpoint_activations ? "" : ", or give --checkpoint-activations";
  return memory_.advice(tokens, nn::free_memory(parts_.device)) + recompute;
}

}  // namespace phraseq
