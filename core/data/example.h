#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace phraseq {

/// One sentence or sentence pair as ids, before it becomes part of a batch.
struct Example {
  int64_t id = 0;  ///< place in the data set, from 0
  std::vector<int64_t> source;
  std::vector<int64_t> target;  ///< empty when there is none
  std::map<std::string, std::vector<int64_t>> extras;
};

}  // namespace phraseq
