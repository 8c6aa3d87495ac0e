#include "core/data/task.h"

namespace phraseq {

std::vector<int64_t> Task::encode_tree(const std::string&,
                                       const std::string&,
                                       const TextPlace& place) const {
  throw UsageError(to_string(place) + ": the task of the model does not use parse trees");
}

}  // namespace phraseq
