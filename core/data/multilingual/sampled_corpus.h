#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/data_loader.h"

namespace phraseq {

/// The weights of parts of these sizes, which need not sum to 1; none = all of every part.
using SamplingWeights = std::function<std::vector<double>(std::span<const int64_t> sizes)>;

/// fairseq's sampling_method.py: the same weight for all parts, and (size / total)^(1/temperature).
PHRASEQ_API std::vector<double> uniform_weights(std::span<const int64_t> sizes);
PHRASEQ_API std::vector<double> temperature_weights(std::span<const int64_t> sizes,
                                                    double temperature);

/// How many examples a pass consists of unless it is said: as many as it takes for the largest part
/// to be used once, at most 1.5 times those of all parts (fairseq's default_virtual_size_func).
PHRASEQ_API int64_t default_virtual_size(std::span<const int64_t> sizes,
                                         std::span<const double> weights);

struct PairSampling {
  SamplingWeights weights = {};    ///< empty = all examples once
  int64_t virtual_size = 0;        ///< examples of a pass; 0 = default_virtual_size
  int64_t virtual_epoch_size = 0;  ///< examples of an epoch; 0 = a pass
  uint64_t seed = 1;
};

/// A part and its name in messages.
struct SampledPart {
  std::string name;
  std::unique_ptr<Corpus> corpus;
};

/// Several corpora, of which every pass draws examples by weights: fairseq's SampledMultiDataset
/// and SampledMultiEpochDataset.
///
/// Of a pass of V examples, a part with weight w gets floor(V w / W), W the sum of all weights;
/// what is left over is drawn by the weights. A part of n examples that gives c uses each of them
/// floor(c / n) times, and c mod n of them, drawn by (seed, pass, part), once more. (fairseq draws
/// with replacement where c > n, and misses some.) With `virtual_epoch_size` a pass is put into
/// random order and cut into epochs of this size. Example::id is the place in the epoch.
class PHRASEQ_API SampledCorpus final : public Corpus {
 public:
  /// Throws DataError for a part without examples, UsageError when weights are not positive.
  SampledCorpus(std::vector<SampledPart> parts, PairSampling settings);

  int64_t size() const override;
  int64_t source_length(int64_t index) const override;
  int64_t target_length(int64_t index) const override;
  Example get(int64_t index) const override;
  EmptyLengths empty_lengths() const override { return parts_.front().corpus->empty_lengths(); }
  void start_epoch(int64_t epoch) override;
  std::string fingerprint() const override { return fingerprint_; }

  /// How many examples of each part the pass has.
  std::vector<int64_t> counts() const;

 private:
  struct Place {
    const Corpus& corpus;
    int64_t index;
  };
  Place find(int64_t index) const;
  void draw(int64_t pass);
  std::string describe() const;
  int64_t pass_size() const { return ends_.back(); }
  int64_t epoch_size() const;
  std::vector<int64_t> sizes() const;

  std::vector<SampledPart> parts_;
  PairSampling settings_;
  std::string fingerprint_;  ///< of the first pass: later ones may use other folders
  int64_t pass_ = 0;         ///< that is drawn, from 1
  std::vector<std::vector<int64_t>> drawn_;  ///< places in each part; empty = all, in order
  std::vector<int64_t> ends_;                ///< of each part in the pass
  std::vector<int64_t> order_;               ///< of the pass; empty = as it is
  int64_t begin_ = 0;                        ///< of the epoch in the pass
};

}  // namespace phraseq
