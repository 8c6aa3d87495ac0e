#pragma once

#include <cstdint>

#include "core/base/api.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// A corpus whose examples belong to other corpora. Example::id is the index in this one.
class PHRASEQ_API IndirectCorpus : public Corpus {
 public:
  int64_t source_length(int64_t index) const final;
  int64_t target_length(int64_t index) const final;
  Example get(int64_t index) const final;

 protected:
  /// An example of one of the other corpora.
  struct Place {
    const Corpus& corpus;
    int64_t index;
  };
  virtual Place find(int64_t index) const = 0;
};

}  // namespace phraseq
