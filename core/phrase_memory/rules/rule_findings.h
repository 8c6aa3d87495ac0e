#pragma once

#include <span>
#include <string>
#include <vector>

namespace phraseq {

/// Words of a sentence that a rule translates.
struct RuleFinding {
  size_t begin = 0;   ///< the first word
  size_t length = 0;  ///< how many words
  std::string target;
  std::string category;
  std::string rule;
};

/// The words that rules examine.
struct RuleSentence {
  std::span<const std::string> words;
  bool has_begin = true;  ///< whether the first word begins a sentence
};

}  // namespace phraseq
