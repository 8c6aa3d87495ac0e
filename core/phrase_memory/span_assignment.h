#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// A slot's target phrase, found in a target sentence; positions are word indices, starting at 0.
struct TargetSpan {
  int64_t slot = 0;
  int64_t begin = 0;
  int64_t length = 0;
  bool operator==(const TargetSpan&) const = default;
};

/// P_xy: which slots of the source produce which words of the target in training.
///
/// `phrases` are the slots' target phrases, in the order of the slots. The longest phrase chooses
/// first, among equally long ones the lower slot; each takes its leftmost occurrence in `target`
/// that overlaps no span taken before, and only one. Slots that find none remain candidates without
/// a span. Returns the spans from left to right.
PHRASEQ_API std::vector<TargetSpan> assign_spans(std::span<const std::vector<std::string>> phrases,
                                                 std::span<const std::string> target);

}  // namespace phraseq
