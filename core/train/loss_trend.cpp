#include "core/train/loss_trend.h"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

namespace phraseq {
namespace {

constexpr size_t kMaxParts = 1000;
constexpr int64_t kMinUpdates = 100;
constexpr double kMinFall = 0.02;

}  // namespace

double LossTrend::Part::bits_per_token() const {
  return loss / static_cast<double>(std::max<int64_t>(1, tokens)) / std::numbers::ln2;
}

void LossTrend::note(double loss_sum, int64_t tokens) {
  if (updates_ % part_updates_ == 0) {
    if (parts_.size() == kMaxParts)
      merge_pairs();  // all parts are full, so a new one still begins here
    parts_.emplace_back();
  }
  parts_.back().loss += loss_sum;
  parts_.back().tokens += tokens;
  ++updates_;
}

void LossTrend::merge_pairs() {
  for (size_t i = 0; i < parts_.size() / 2; ++i) parts_[i] = sum(2 * i, 2);
  parts_.resize(parts_.size() / 2);
  part_updates_ *= 2;
}

LossTrend::Part LossTrend::sum(size_t first, size_t count) const {
  Part sum;
  for (size_t i = first; i < first + count; ++i) {
    sum.loss += parts_[i].loss;
    sum.tokens += parts_[i].tokens;
  }
  return sum;
}

std::string LossTrend::finding() const {
  if (updates_ < kMinUpdates)
    return {};
  const size_t tenth = std::max<size_t>(1, parts_.size() / 10);
  const double begin = sum(0, tenth).bits_per_token();
  const double end = sum(parts_.size() - tenth, tenth).bits_per_token();
  if (end <= begin * (1 - kMinFall))
    return {};
  const int64_t updates = static_cast<int64_t>(tenth) * part_updates_;
  return fmt::format(
      "the training loss has not fallen: {:.2f} bits per token over the first {} updates and "
      "{:.2f} over the last {}",
      begin,
      updates,
      end,
      updates);
}

}  // namespace phraseq
