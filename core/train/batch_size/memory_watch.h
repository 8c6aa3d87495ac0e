#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "core/base/api.h"

namespace phraseq {

/// Estimates the memory of training passes from measured ones, in bytes per token (counted as by
/// --max-tokens). A pass needs memory in proportion to its tokens, and more for long sentences: the
/// estimate is the maximum over the passes with at least half the tokens of the largest one.
class PHRASEQ_API MemoryModel {
 public:
  /// Records a pass over `tokens` tokens that had enough memory and took `bytes`; 0 = unknown.
  void note(int64_t tokens, int64_t bytes);

  int64_t largest() const { return largest_; }  ///< most tokens of a pass that fit; 0 = none
  double bytes_per_token() const { return bytes_per_token_; }
  /// The number of tokens that fit into `bytes`; nothing if no pass was measured.
  std::optional<int64_t> tokens_within(int64_t bytes) const;

 private:
  int64_t largest_ = 0;
  double bytes_per_token_ = 0;
};

/// Measures training passes, for the advice that is logged if a pass runs out of memory.
class PHRASEQ_API MemoryWatch {
 public:
  explicit MemoryWatch(const c10::Device& device) : device_(device) {}

  void begin_pass();
  /// Records that the last pass had enough memory.
  void end_pass(int64_t tokens);

  int64_t largest() const { return model_.largest(); }
  /// Suggests a --max-tokens that would fit after a pass over `tokens`, with `free_bytes` free
  /// before it, did not: "--max-tokens 3200 would fit (…)".
  std::string advice(int64_t tokens, int64_t free_bytes) const;

 private:
  c10::Device device_;
  int64_t before_ = 0;
  MemoryModel model_;
};

/// The part of free memory that a training's batches may take: the rest is for batches of other
/// shapes and for validation.
inline constexpr double kUsableShare = 0.9;

/// A number of bytes as text: "1.25 GiB", "300 MiB", "0.3 MiB".
PHRASEQ_API std::string bytes_text(int64_t bytes);

}  // namespace phraseq
