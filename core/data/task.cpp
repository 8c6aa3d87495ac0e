#include "core/data/task.h"

namespace phraseq {

std::vector<int64_t> Task::encode_tree(const std::string&,
                                       const std::string&,
                                       const TextPlace& place) const {
  throw UsageError(to_string(place) + ": the model's task has no use for parse trees");
}

}  // namespace phraseq
