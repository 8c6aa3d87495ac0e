#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"
#include "core/data/example.h"

namespace phraseq {

/// The language tokens of one direction of translation, as ids; -1 = none.
struct PHRASEQ_API DirectionTags {
  int64_t source = -1;   ///< before the source's words (--encoder-langtok)
  int64_t target = -1;   ///< before the target's words (--decoder-langtok)
  bool replace = false;  ///< in place of the source's </s> and of what the decoder is fed first

  /// Adds them to an example that has none. Its translation then begins with `target`
  /// (kPrefixExtra), or the decoder is started with it (kStartExtra).
  void apply(Example& example) const;
  /// A source's tree (Example::extras[kTreeExtra]) with a leaf for the token before the words.
  std::vector<int64_t> tree(std::vector<int64_t> code) const;

  int64_t added_to_source() const { return source >= 0 && !replace ? 1 : 0; }
  int64_t added_to_target() const { return target >= 0 && !replace ? 1 : 0; }
};

/// A corpus whose examples get the tokens of a direction.
class PHRASEQ_API TaggedCorpus final : public Corpus {
 public:
  TaggedCorpus(std::unique_ptr<Corpus> corpus, const DirectionTags& tags)
      : corpus_(std::move(corpus)), tags_(tags) {}

  int64_t size() const override { return corpus_->size(); }
  int64_t mean_epoch_size() const override { return corpus_->mean_epoch_size(); }
  int64_t source_length(int64_t index) const override;
  int64_t target_length(int64_t index) const override;
  Example get(int64_t index) const override;
  EmptyLengths empty_lengths() const override;
  void start_epoch(int64_t epoch) override { corpus_->start_epoch(epoch); }
  std::string fingerprint() const override;

 private:
  std::unique_ptr<Corpus> corpus_;
  DirectionTags tags_;
};

}  // namespace phraseq
