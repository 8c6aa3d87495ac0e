#pragma once

#include <cstdint>

namespace phraseq {

/// A part of the sentences of a run: every `count`th of all sentences, which are numbered from 0,
/// beginning at `index`.
struct Shard {
  int64_t index = 0;
  int64_t count = 1;

  bool is_all() const { return count == 1; }
  bool has(int64_t sentence) const { return sentence % count == index; }
  /// The number of sentences, out of `total`, that belong to this shard.
  int64_t size_of(int64_t total) const {
    return total <= index ? 0 : (total - index - 1) / count + 1;
  }
  bool operator==(const Shard&) const = default;
};

}  // namespace phraseq
