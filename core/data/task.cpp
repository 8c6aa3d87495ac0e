#include "core/data/task.h"

#include <fmt/format.h>

#include "core/data/collate.h"

namespace phraseq {

const std::string& TaskState::text(const std::string& name) const {
  const auto found = texts.find(name);
  if (found == texts.end()) {
    throw FormatError(fmt::format("{}: task_texts do not contain '{}'", place, name),
                      "The checkpoint was written by another task, or is damaged.");
  }
  return found->second;
}

std::string TaskState::blob(const std::string& name) const {
  const auto found = blobs.find(name);
  return found == blobs.end() ? std::string() : found->second;
}

Batch Task::collate(const std::vector<Example>& examples,
                    const SequenceConventions& conventions) const {
  return collate_pairs(examples, conventions);
}

std::vector<int64_t> Task::encode_tree(const std::string&,
                                       const std::string&,
                                       const TextPlace& place) const {
  throw UsageError(to_string(place) + ": the task of the model does not use parse trees");
}

}  // namespace phraseq
