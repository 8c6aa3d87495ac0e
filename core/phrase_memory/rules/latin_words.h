#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace phraseq {

/// Consecutive words in Latin letters.
struct LatinWords {
  size_t begin = 0;
  size_t length = 0;
};

/// The runs of words in ASCII letters of a Chinese sentence, each of at most ten words. Parts of a
/// longer word (PRS in # PRS _ ORG #, Kubi in Kubi š), single letters in parentheses, which are
/// keys to press, and some words that English writes differently (ID, RAW, APP) are left out.
std::vector<LatinWords> latin_words(std::span<const std::string> words);

}  // namespace phraseq
