#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/joined/indirect_corpus.h"

namespace phraseq {

/// The concatenation of several corpora, like fairseq's ConcatDataset. The first corpus is repeated
/// `first_repeats` times (--upsample-primary).
class PHRASEQ_API JoinedCorpus final : public IndirectCorpus {
 public:
  JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts, int64_t first_repeats);
  /// Joins named parts, whose losses are also reported one by one.
  JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts, std::vector<std::string> names);

  int64_t size() const override { return ends_.back(); }
  EmptyLengths empty_lengths() const override { return parts_.front()->empty_lengths(); }
  std::vector<CorpusPart> parts() const override;
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override;

 private:
  Place find(int64_t index) const override;

  std::vector<std::unique_ptr<Corpus>> parts_;
  std::vector<int64_t> ends_;  ///< of each part: the index after its last sentence
  std::vector<std::string> names_;
};

}  // namespace phraseq
