#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "core/base/api.h"

namespace phraseq {

/// What training passes need, as far as they were measured: bytes per token, counted as
/// --max-tokens does. A pass needs memory in proportion to its tokens, and more for long sentences:
/// what counts is the most that a pass with at least half the tokens of the largest one needed for
/// each token.
class PHRASEQ_API MemoryModel {
 public:
  /// A pass over `tokens` tokens had enough memory; it took `bytes`, 0 = not known.
  void note(int64_t tokens, int64_t bytes);

  int64_t largest() const { return largest_; }  ///< tokens of a pass that fitted; 0 = none
  double bytes_per_token() const { return bytes_per_token_; }
  /// The tokens that fit into `bytes`; nothing where nothing was measured.
  std::optional<int64_t> tokens_within(int64_t bytes) const;

 private:
  int64_t largest_ = 0;
  double bytes_per_token_ = 0;
};

/// Measures the passes of a training, for the advice that a pass without memory gives.
class PHRASEQ_API MemoryWatch {
 public:
  explicit MemoryWatch(const c10::Device& device) : device_(device) {}

  void begin_pass();
  /// The pass that began last had enough memory.
  void end_pass(int64_t tokens);

  int64_t largest() const { return model_.largest(); }
  /// Which --max-tokens would fit, now that a pass over `tokens` did not, with `free_bytes` free
  /// before it: "--max-tokens 3200 would fit (…)".
  std::string advice(int64_t tokens, int64_t free_bytes) const;

 private:
  c10::Device device_;
  int64_t before_ = 0;
  MemoryModel model_;
};

/// The part of free memory that a training's batches may take: the rest is for batches of another
/// shape, and for validation.
inline constexpr double kUsableShare = 0.9;

/// "1.25 GiB", "300 MiB", "0.3 MiB"
PHRASEQ_API std::string bytes_text(int64_t bytes);

}  // namespace phraseq
