#include "core/data/sequence_conventions.h"

#include "core/text/dictionary.h"

namespace phraseq {

std::vector<int64_t> SequenceConventions::source_of(const Example& example) const {
  std::vector<int64_t> ids;
  if (source_has_bos)
    ids.push_back(kBos);
  ids.insert(ids.end(), example.source.begin(), example.source.end());
  if (!source_has_eos && ids.size() > 1 && ids.back() == kEos)
    ids.pop_back();
  return ids;
}

}  // namespace phraseq
