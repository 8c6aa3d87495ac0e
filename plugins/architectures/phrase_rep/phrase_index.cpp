#include "plugins/architectures/phrase_rep/phrase_index.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq::phrase_rep {
namespace {

std::vector<int64_t> numbers(const Batch& batch, const char* name) {
  const auto found = batch.extras.find(name);
  if (found == batch.extras.end()) {
    throw UsageError(fmt::format("the batch has no '{}': its task did not apply the sequence "
                                 "conventions of the architecture",
                                 name),
                     "use a task that applies SequenceConventions::extend, such as translation");
  }
  const at::Tensor values = found->second.to(at::kCPU).contiguous();
  const auto* first = values.const_data_ptr<int64_t>();
  return {first, first + values.numel()};
}

}  // namespace

PhraseIndex PhraseIndex::of(const Batch& batch) {
  PhraseIndex index;
  index.offsets = numbers(batch, "phrase_offsets");
  index.phrases.offsets = numbers(batch, "sentence_phrases");
  return index;
}

int64_t PhraseIndex::longest() const {
  int64_t longest = 0;
  for (int64_t phrase = 0; phrase < count(); ++phrase) longest = std::max(longest, length(phrase));
  return longest;
}

}  // namespace phraseq::phrase_rep
