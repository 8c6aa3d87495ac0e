#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// The concatenation of several corpora, like fairseq's ConcatDataset. The first corpus is repeated
/// `first_repeats` times (--upsample-primary). Example::id is the position in the whole.
class PHRASEQ_API JoinedCorpus final : public Corpus {
 public:
  JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts, int64_t first_repeats);
  /// With names for the parts.
  JoinedCorpus(std::vector<std::unique_ptr<Corpus>> parts, std::vector<std::string> names);

  int64_t size() const override { return ends_.back(); }
  int64_t source_length(int64_t index) const override;
  int64_t target_length(int64_t index) const override;
  Example get(int64_t index) const override;
  EmptyLengths empty_lengths() const override { return parts_.front()->empty_lengths(); }
  std::vector<CorpusPart> parts() const override;
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override;

 private:
  struct Place {
    const Corpus& corpus;
    int64_t index;
  };
  Place find(int64_t index) const;

  std::vector<std::unique_ptr<Corpus>> parts_;
  std::vector<int64_t> ends_;  ///< of each part, behind its last sentence
  std::vector<std::string> names_;
};

}  // namespace phraseq
