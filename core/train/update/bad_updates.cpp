#include "core/train/update/bad_updates.h"

#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/wording/counted.h"
#include "core/io/atomic_file.h"
#include "core/train/update/divergence.h"

namespace phraseq {
namespace {

/// Writes the file, but only logs an IoError: the error that ends the run must be the divergence,
/// even if the disk is full.
void write_divergence(const std::string& path, const std::string& text) {
  try {
    write_file(path, text);
  } catch (const IoError& failure) {
    log_error(failure.what());
  }
}

}  // namespace

BadUpdates::BadUpdates(TrainState& state,
                       TrainingLog& log,
                       const CheckpointFolder* folder,
                       int64_t most_in_a_row)
    : state_(state), log_(log), folder_(folder), most_in_a_row_(most_in_a_row) {}

void BadUpdates::note(const SentenceIds& sentence_ids, double loss, double gradient_norm) {
  ++state_.bad_updates;
  ++state_.bad_updates_in_a_row;
  const bool loss_is_bad = !std::isfinite(loss);
  log_warning(fmt::format("update {} skipped: the {} is {}; first sentence {}",
                          state_.updates + 1,
                          loss_is_bad ? "loss" : "gradient norm",
                          std::abs(loss_is_bad ? loss : gradient_norm),  // NaN can have a sign
                          sentence_ids.front().front() + 1));
  log_.event("bad_update", {{"updates", state_.updates}, {"sentence_ids", sentence_ids}});
  if (state_.bad_updates_in_a_row >= most_in_a_row_)
    end_diverged(sentence_ids);
}

/// `sentence_ids` are those of the last update.
void BadUpdates::end_diverged(const SentenceIds& sentence_ids) const {
  const std::string remedy = std::string(kDivergenceRemedy) + '.';
  const std::string what =
      fmt::format("{} in a row had a loss or gradient that is not finite, starting at update {}",
                  counted(state_.bad_updates_in_a_row, "update"),
                  state_.updates + 1);
  if (folder_ == nullptr)
    throw DivergenceError(what, remedy);
  const std::string path = folder_->path() + "/diverged_batch.json";
  const nlohmann::json record = {{"updates", state_.updates}, {"sentence_ids", sentence_ids}};
  write_divergence(path, record.dump() + "\n");
  throw DivergenceError(what, "The sentences are in " + path + ". " + remedy);
}

void BadUpdates::note_overflow(LossScaler& scaler) {
  ++state_.bad_updates;
  ++state_.bad_updates_in_a_row;  // a model that has diverged overflows at every scale
  scaler.note_overflow();
  log_info(fmt::format("update {} skipped: a gradient overflowed in fp16; the loss scale is {:g}",
                       state_.updates + 1,
                       scaler.scale()));
  log_.event("overflow", {{"updates", state_.updates}, {"loss_scale", scaler.scale()}});
}

}  // namespace phraseq
