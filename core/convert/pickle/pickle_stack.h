#pragma once

#include <cstddef>
#include <vector>

#include "core/convert/pickle/pickle_graph.h"
#include "core/convert/pickle/pickle_input.h"

namespace phraseq {

/// The stack of a pickle machine with its marks. A pop never reaches below the newest mark; one
/// that would fails at the place of `input`.
class PickleStack {
 public:
  explicit PickleStack(const PickleInput& input) : input_(input) {}

  void push(PickleRef value) { values_.push_back(value); }
  void mark() { marks_.push_back(values_.size()); }

  PickleRef top() const;
  PickleRef pop();
  std::vector<PickleRef> pop_count(size_t count);
  /// All values above the newest mark, and the mark.
  std::vector<PickleRef> pop_to_mark();
  /// The newest mark if no value is above it, else the top.
  void drop();

 private:
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  const PickleInput& input_;
  std::vector<PickleRef> values_;
  std::vector<size_t> marks_;
};

}  // namespace phraseq
