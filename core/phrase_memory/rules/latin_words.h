#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace phraseq {

/// Words on end in Latin letters.
struct LatinWords {
  size_t begin = 0;
  size_t length = 0;
};

/// The runs of words in ASCII letters of a Chinese sentence, each of at most ten words. Left out
/// are parts of a longer word (PRS of # PRS _ ORG #, Kubi of Kubi š), lone letters in parentheses,
/// which are keys to press, and some words that English writes in another form (ID, RAW, APP).
std::vector<LatinWords> latin_words(std::span<const std::string> words);

}  // namespace phraseq
