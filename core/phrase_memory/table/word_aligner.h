#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/api.h"
#include "core/phrase_memory/table/bitext.h"
#include "core/phrase_memory/table/word_alignment.h"

namespace phraseq {

/// The settings of a WordAligner.
struct WordAlignerSettings {
  int64_t iterations = 5;       ///< of expectation maximization
  double null_share = 0.08;     ///< p_0, probability that a target word has no source word
  double tension = 4.0;         ///< λ, how strongly links stay near the diagonal
  double concentration = 0.01;  ///< α of the Dirichlet prior over translations
  /// Pairs with a longer side stay without links: time and memory grow with the product of the
  /// lengths.
  size_t longest_sentence = 1000;
};

/// IBM model 2 with its distortion a function of one parameter (Dyer, Chahuneau and Smith 2013,
/// "A Simple, Fast, and Effective Reparameterization of IBM Model 2", sec. 2):
///
///   p(a_i = j) = p_0                                              j = 0, no word
///                (1 - p_0) exp(-λ |i/m - j/n|) / Z(i, m, n)       j = 1 … n
///   p(f_i | a_i = j) = θ(f_i | e_j)
///
/// for target word i of m and source word j of n. θ is learned by variational Bayes with a
/// symmetric Dirichlet prior. λ and p_0 stay as set. It aligns in one direction and is
/// deterministic.
class PHRASEQ_API WordAligner {
 public:
  WordAligner(const NumberedText& source,
              const NumberedText& target,
              const WordAlignerSettings& settings = {});

  /// The most probable links of a sentence pair of the training text, at most one per target word;
  /// ties go to no link, then to the leftmost source word.
  WordAlignment align(std::span<const uint32_t> source, std::span<const uint32_t> target) const;

  /// Whether a pair is too long to be aligned.
  bool leaves_out(std::span<const uint32_t> source, std::span<const uint32_t> target) const {
    return std::max(source.size(), target.size()) > settings_.longest_sentence;
  }

  /// θ(target | source); 0 for words that never occurred in the same pair.
  double translation(uint32_t source, uint32_t target) const;

 private:
  /// θ and the expected count of a target word.
  struct Translation {
    double probability = 1;  ///< at first any constant: only ratios count
    double count = 0;
  };
  /// Translations of one source word.
  struct Row {
    static constexpr uint32_t kNotThere = static_cast<uint32_t>(-1);

    std::vector<uint32_t> targets;  ///< sorted
    std::vector<Translation> translations;
    std::vector<uint32_t> index;  ///< hash table with open addressing: places, or kNotThere
    size_t seen = 0;  ///< number of targets that are already sorted, while rows are collected

    void sort_targets();
    void make_translations();
    uint32_t place_of(uint32_t target) const;
  };

  /// Where the row of each word of a source sentence, null's first, has each word of its
  /// translation, [source + 1, target], and θ.
  struct Cells {
    std::vector<uint32_t> places;
    std::vector<double> probabilities;
  };

  void gather(const NumberedText& source, const NumberedText& target);
  void count(std::span<const uint32_t> source, std::span<const uint32_t> target);
  void maximize();
  Cells find_cells(std::span<const uint32_t> source, std::span<const uint32_t> target) const;
  /// Weights of null and each source word, `weight` [source + 1], for the target word at `place` of
  /// `length`, not normalized.
  void weigh(const Cells& cells, size_t place, size_t length, std::span<double> weight) const;

  WordAlignerSettings settings_;
  std::vector<Row> rows_;  ///< by source word; the last is null's
};

}  // namespace phraseq
