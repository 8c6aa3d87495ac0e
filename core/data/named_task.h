#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/plugin/registry.h"

namespace phraseq {

/// The plugin's own task object, for its further interfaces.
PHRASEQ_API const Task& plugin_task_of(const Task& task);

/// What is wrong with a batch that `task` made of `examples` examples: sentences that are missing,
/// tokens without a sentence, ids that are in no dictionary. Empty if nothing is.
PHRASEQ_API std::string fault_of_batch(const Batch& batch, size_t examples, const Task& task);

/// A plugin's task: when it or one of its corpora throws, the error names the plugin. The
/// selection's component outlives it.
class PHRASEQ_API NamedTask final : public Task {
 public:
  /// Makes the selected task.
  NamedTask(const Selection& selection, const TaskSetup& setup);

  const Dictionary& source_dictionary() const override;
  const Dictionary& target_dictionary() const override;
  const std::string& source_language() const override;
  const std::string& target_language() const override;
  ArchitectureSetup architecture_setup() const override;
  bool has_split(const std::string& split) const override;
  std::unique_ptr<Corpus> open(const std::string& split,
                               bool training,
                               const SequenceConventions& conventions) const override;
  Batch collate(const std::vector<Example>& examples,
                const SequenceConventions& conventions) const override;
  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  std::vector<int64_t> encode_tree(const std::string& source,
                                   const std::string& tree,
                                   const TextPlace& place) const override;
  std::string symbols(std::span<const int64_t> ids, PairSide side) const override;
  std::string text(std::span<const int64_t> ids, PairSide side) const override;
  TaskState save() const override;

 private:
  friend const Task& plugin_task_of(const Task& task);

  const Component& component_;
  std::unique_ptr<Task> task_;
};

/// A further interface of a task; null if the task does not implement it.
template <class Interface>
const Interface* interface_of(const Task& task) {
  return dynamic_cast<const Interface*>(&plugin_task_of(task));
}

}  // namespace phraseq
