#include "plugins/architectures/phrase_rep/phrase_index.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/phrases/phrase_extras.h"

namespace phraseq::phrase_rep {
namespace {

const std::vector<int64_t>& numbers(const Batch& batch, const char* name) {
  const auto found = batch.host_extras.find(name);
  if (found == batch.host_extras.end()) {
    throw UsageError(fmt::format("the batch has no '{}': its task did not apply the sequence "
                                 "conventions of the architecture",
                                 name),
                     "Use a task that applies SequenceConventions::extend, such as translation.");
  }
  return found->second;
}

}  // namespace

PhraseIndex PhraseIndex::of(const Batch& batch) {
  PhraseIndex index;
  index.offsets = numbers(batch, kPhraseOffsets);
  index.phrases.offsets = numbers(batch, kSentencePhrases);
  return index;
}

}  // namespace phraseq::phrase_rep
