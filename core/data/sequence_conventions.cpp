#include "core/data/sequence_conventions.h"

#include "core/text/dictionary.h"

namespace phraseq {

int64_t SequenceConventions::start_token() const { return start_with_bos ? kBos : kEos; }

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
