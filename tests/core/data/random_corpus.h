#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/data/data_loader.h"

namespace phraseq::testing {

/// Sentences of given lengths (</s> counted); every token of sentence i is i + 10 but the last,
/// </s>.
class LengthsCorpus : public Corpus {
 public:
  explicit LengthsCorpus(std::vector<std::pair<int64_t, int64_t>> lengths)
      : lengths_(std::move(lengths)) {}

  int64_t size() const override { return static_cast<int64_t>(lengths_.size()); }
  int64_t source_length(int64_t i) const override { return lengths_[static_cast<size_t>(i)].first; }
  int64_t target_length(int64_t i) const override {
    return lengths_[static_cast<size_t>(i)].second;
  }
  Example get(int64_t i) const override {
    return {i, sentence(i, source_length(i)), sentence(i, target_length(i)), {}};
  }
  std::string fingerprint() const override { return "lengths " + std::to_string(size()); }

  static std::vector<int64_t> sentence(int64_t index, int64_t length) {
    std::vector<int64_t> ids(static_cast<size_t>(length), index + 10);
    if (!ids.empty())
      ids.back() = 2;
    return ids;
  }

 private:
  std::vector<std::pair<int64_t, int64_t>> lengths_;
};

inline std::vector<std::pair<int64_t, int64_t>> random_lengths(Random& random,
                                                               int64_t size,
                                                               uint64_t longest) {
  std::vector<std::pair<int64_t, int64_t>> lengths;
  for (int64_t i = 0; i < size; ++i) {
    lengths.emplace_back(1 + static_cast<int64_t>(random.below(longest)),
                         1 + static_cast<int64_t>(random.below(longest)));
  }
  return lengths;
}

}  // namespace phraseq::testing
