#pragma once

#include <span>
#include <vector>

#include "core/text/moses/moses_data.h"

namespace phraseq::moses {

/// Several classes of characters as one set.
class CharacterSet {
 public:
  explicit CharacterSet(std::vector<CharacterClass> classes);
  bool has(char32_t character) const;

 private:
  std::vector<bool> low_;  ///< below 0x250, the range of most text
  std::vector<std::span<const Range>> tables_;
};

/// Whether sacremoses regards a character as Chinese, Japanese or Korean.
bool is_cjk(char32_t character);

}  // namespace phraseq::moses
