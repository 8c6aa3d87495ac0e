#pragma once

#include <cstddef>
#include <string>

namespace phraseq {

/// Words of a sentence that a rule translates.
struct RuleFinding {
  size_t begin = 0;   ///< the first word
  size_t length = 0;  ///< how many words
  std::string target;
  std::string category;
  std::string rule;
};

}  // namespace phraseq
