#include "@name@.h"

#include <ATen/ops/tensor.h>

namespace @name@_plugin {

phraseq::Batch Task::collate(const std::vector<phraseq::Example>& examples,
                             const phraseq::SequenceConventions& conventions) const {
  phraseq::Batch batch = TranslationTask::collate(examples, conventions);
  std::vector<int64_t> lengths;
  for (const phraseq::Example& example : examples)
    lengths.push_back(static_cast<int64_t>(example.source.size()) - (options_.count_end ? 0 : 1));
  batch.extras["source_lengths"] = at::tensor(lengths, at::kLong);
  return batch;
}

}  // namespace @name@_plugin
