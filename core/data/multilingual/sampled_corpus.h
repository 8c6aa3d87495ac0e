#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/joined/indirect_corpus.h"

namespace phraseq {

/// Computes sampling weights from the sizes of the parts. The weights do not have to sum to 1.
/// Without a function, every example of every part is used once.
using SamplingWeights = std::function<std::vector<double>(std::span<const int64_t> sizes)>;

/// The sampling methods of fairseq's sampling_method.py: equal weights for all parts, and
/// (size / total)^(1 / temperature).
PHRASEQ_API std::vector<double> uniform_weights(std::span<const int64_t> sizes);
PHRASEQ_API std::vector<double> temperature_weights(std::span<const int64_t> sizes,
                                                    double temperature);

/// The default number of examples in one pass (fairseq's default_virtual_size_func): enough to use
/// the largest part once, but at most 1.5 times the total number of examples.
PHRASEQ_API int64_t default_virtual_size(std::span<const int64_t> sizes,
                                         std::span<const double> weights);

/// How often a SampledCorpus uses the examples of its parts.
struct PairSampling {
  SamplingWeights weights = {};    ///< empty = every example once
  int64_t virtual_size = 0;        ///< examples per pass; 0 = default_virtual_size
  int64_t virtual_epoch_size = 0;  ///< examples per epoch; 0 = one pass
  uint64_t seed = 1;
};

/// One of the corpora to sample from, with the name to use in messages.
struct SampledPart {
  std::string name;
  std::unique_ptr<Corpus> corpus;
};

/// Samples examples from several corpora according to weights, like fairseq's SampledMultiDataset
/// and SampledMultiEpochDataset.
///
/// In a pass of V examples, a part with weight w contributes floor(V w / W) examples, where W is
/// the sum of all weights; the remainder is drawn at random according to the weights. A part of n
/// examples that contributes c uses each example floor(c / n) times. Another c mod n examples,
/// chosen at random by (seed, pass, part), are used once more. (fairseq samples with replacement if
/// c > n, so some examples are never used.) With `virtual_epoch_size`, each pass is shuffled and
/// split into epochs of that size. Example::id is the position in the epoch.
class PHRASEQ_API SampledCorpus final : public IndirectCorpus {
 public:
  /// Throws DataError if a part has no examples, and UsageError if a weight is not positive.
  SampledCorpus(std::vector<SampledPart> parts, PairSampling settings);

  int64_t size() const override;
  EmptyLengths empty_lengths() const override { return parts_.front().corpus->empty_lengths(); }
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override { return fingerprint_; }

  /// The number of examples that each part contributes to the current pass.
  std::vector<int64_t> counts() const;

 private:
  Place find(int64_t index) const override;
  void draw(int64_t pass);
  std::string describe() const;
  int64_t pass_size() const { return ends_.back(); }
  int64_t epoch_size() const;
  std::vector<int64_t> sizes() const;

  std::vector<SampledPart> parts_;
  PairSampling settings_;
  std::string fingerprint_;  ///< of the first pass: later passes may use other folders
  int64_t pass_ = 0;         ///< the current pass, counted from 1
  std::vector<std::vector<int64_t>> drawn_;  ///< indices into each part; empty = all, in order
  std::vector<int64_t> ends_;                ///< where each part ends in the pass
  std::vector<int64_t> order_;               ///< shuffled positions in the pass; empty = unshuffled
  int64_t begin_ = 0;                        ///< where the current epoch begins in the pass
};

}  // namespace phraseq
