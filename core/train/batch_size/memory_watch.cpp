#include "core/train/batch_size/memory_watch.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/nn/memory/device_memory.h"

namespace phraseq {

void MemoryModel::note(int64_t tokens, int64_t bytes) {
  largest_ = std::max(largest_, tokens);
  if (bytes > 0 && 2 * tokens >= largest_) {
    bytes_per_token_ =
        std::max(bytes_per_token_, static_cast<double>(bytes) / static_cast<double>(tokens));
  }
}

std::optional<int64_t> MemoryModel::tokens_within(int64_t bytes) const {
  if (bytes_per_token_ == 0)
    return std::nullopt;
  return static_cast<int64_t>(static_cast<double>(bytes) / bytes_per_token_);
}

void MemoryWatch::begin_pass() {
  nn::reset_peak_memory(device_);
  before_ = nn::memory_use(device_).now;
}

void MemoryWatch::end_pass(int64_t tokens) {
  model_.note(tokens, nn::memory_use(device_).peak - before_);
}

std::string MemoryWatch::advice(int64_t tokens, int64_t free_bytes) const {
  if (largest() == 0)
    return fmt::format("no batch has fit into memory yet: reduce --max-tokens below {}", tokens);
  const auto estimate =
      model_.tokens_within(static_cast<int64_t>(kUsableShare * static_cast<double>(free_bytes)));
  if (estimate && *estimate < tokens) {
    return fmt::format(
        "--max-tokens {} would fit ({} are free, and batches of up to {} tokens "
        "needed {:.0f} kB per token)",
        std::max<int64_t>(1, *estimate),
        bytes_text(free_bytes),
        largest(),
        model_.bytes_per_token() / 1000);
  }
  // Batches with as many tokens have fit, so this one needs more memory because of the length of
  // its sentences.
  return fmt::format("batches of up to {} tokens have fit: --max-tokens {} would fit",
                     largest(),
                     std::max<int64_t>(1, std::min(largest(), tokens * 3 / 4)));
}

std::string bytes_text(int64_t bytes) {
  constexpr double kMebibyte = 1 << 20;
  const double mebibytes = static_cast<double>(bytes) / kMebibyte;
  if (mebibytes >= 1024)
    return fmt::format("{:.2f} GiB", mebibytes / 1024);
  return fmt::format("{:.{}f} MiB", mebibytes, mebibytes < 10 ? 1 : 0);
}

}  // namespace phraseq
