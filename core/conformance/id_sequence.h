#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/text/dictionary.h"

namespace phraseq::conformance {

/// What is wrong with a sentence's ids; empty = nothing.
inline std::string fault_of_ids(const std::vector<int64_t>& ids, int64_t vocabulary) {
  for (const int64_t id : ids) {
    if (id < 0 || id >= vocabulary)
      return fmt::format("id {} is not in the vocabulary of {}", id, vocabulary);
  }
  return ids.empty() || ids.back() != kEos ? "does not end in </s>" : "";
}

}  // namespace phraseq::conformance
