#include "core/data/joined/indirect_corpus.h"

namespace phraseq {

int64_t IndirectCorpus::source_length(int64_t index) const {
  const Place place = find(index);
  return place.corpus.source_length(place.index);
}

int64_t IndirectCorpus::target_length(int64_t index) const {
  const Place place = find(index);
  return place.corpus.target_length(place.index);
}

Example IndirectCorpus::get(int64_t index) const {
  const Place place = find(index);
  Example example = place.corpus.get(place.index);
  example.id = index;
  return example;
}

}  // namespace phraseq
