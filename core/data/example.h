#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace phraseq {

/// Name of the extra that holds the source's parse tree, as SubwordTree::encode writes it: there
/// for every sentence of a text that comes with trees, empty where one was not parsed.
inline constexpr const char* kTreeExtra = "tree";

/// One sentence or sentence pair as ids, before it becomes part of a batch.
struct Example {
  int64_t id = 0;  ///< place in the data set, from 0
  std::vector<int64_t> source;
  std::vector<int64_t> target;  ///< empty when there is none
  std::map<std::string, std::vector<int64_t>> extras;
};

}  // namespace phraseq
