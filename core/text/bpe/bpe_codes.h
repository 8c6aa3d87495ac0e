#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/api.h"
#include "core/text/word_cache.h"

namespace phraseq {

/// Byte-pair encoding of words (Sennrich et al. 2016) with the merges of subword-nmt, versions 0.1
/// and 0.2, or of fastBPE, whose lines also contain a count.
class PHRASEQ_API BpeCodes {
 public:
  /// Reads the text of a file of codes; `name` is for errors. Throws FormatError for a line that is
  /// not a merge, and for any other version.
  BpeCodes(const std::string& text, const std::string& name);
  ~BpeCodes();

  /// Restricts encoding to symbols of this vocabulary: others are split by undoing their merges
  /// (subword-nmt's --vocabulary). `text`: lines "SYMBOL COUNT"; symbols with a count below
  /// `threshold` are left out. Throws FormatError for a line of a different form.
  void restrict_to(const std::string& text, int64_t threshold, const std::string& name);

  /// The subwords of a word, with "@@" after all but the last.
  std::vector<std::string> encode(std::string_view word) const;
  /// The same with BPE dropout (Provilkov et al. 2020): in each step, every merge is skipped with
  /// this probability. The same seed gives the same subwords.
  std::vector<std::string> sample(std::string_view word, double dropout, uint64_t seed) const;

  int64_t size() const { return static_cast<int64_t>(merges_.size()); }

 private:
  using Pair = std::pair<std::string, std::string>;
  using PairView = std::pair<std::string_view, std::string_view>;
  struct PairHash {
    using is_transparent = void;
    size_t operator()(const PairView& pair) const {
      const std::hash<std::string_view> hash;
      return hash(pair.first) * 31 + hash(pair.second);
    }
  };
  struct PairEqual {
    using is_transparent = void;
    bool operator()(const PairView& a, const PairView& b) const { return a == b; }
  };

  void append_end(std::vector<std::string>& symbols) const;
  template <class Keeps>
  std::vector<size_t> next_merge(const std::vector<std::string>& symbols, Keeps keeps) const;
  template <class Keeps>
  std::vector<std::string> merge(std::string_view word, Keeps keeps) const;
  void split_unknown(const std::string& symbol, bool final, std::vector<std::string>& to) const;
  bool in_vocabulary(const std::string& symbol, bool final) const;
  std::vector<std::string> finished(std::vector<std::string> symbols) const;

  std::unordered_map<Pair, int64_t, PairHash, PairEqual> merges_;  ///< pairs and their ranks
  std::unordered_map<std::string, Pair> halves_;  ///< the pair that each merged symbol consists of
  std::unordered_set<std::string> vocabulary_;
  bool is_restricted_ = false;
  bool separate_end_ = false;  ///< version 0.1: the end of a word is a symbol of its own
  std::unique_ptr<WordCache> cache_;
};

/// The words of a line as subword-nmt separates them: only at blanks.
PHRASEQ_API std::vector<std::string_view> split_blanks(std::string_view line);

}  // namespace phraseq
