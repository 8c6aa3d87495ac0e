#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/api.h"

namespace phraseq {

/// Words as numbers, in the order of their first occurrence.
class PHRASEQ_API WordNumbers {
 public:
  uint32_t number_of(const std::string& word);
  const std::string& word(uint32_t number) const { return words_[number]; }
  size_t size() const { return words_.size(); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::string> words_;
};

/// One side of a bitext: sentences of word numbers.
struct NumberedText {
  WordNumbers words;
  std::vector<std::vector<uint32_t>> sentences;

  PHRASEQ_API void add(std::string_view sentence, bool lowercase = false);
};

/// Parallel text: sentence i of one side is the translation of sentence i of the other.
struct Bitext {
  NumberedText source;
  NumberedText target;
};

/// Throws a DataError that names the longer file and the line if the numbers of lines differ, and
/// if there are no lines.
PHRASEQ_API Bitext read_bitext(const std::string& source,
                               const std::string& target,
                               bool lowercase = false);

}  // namespace phraseq
