#include "core/text/white_space.h"

#include "core/io/utf8.h"

namespace phraseq {
namespace {

bool is_white_space(char32_t c) {
  if (c < 0x80)
    return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20);
  if (c >= 0x2000 && c <= 0x200a)
    return true;
  switch (c) {
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<std::string_view> split_white_space(std::string_view line) {
  std::vector<std::string_view> words;
  size_t word_begin = 0;
  size_t position = 0;
  while (position < line.size()) {
    const size_t here = position;
    if (!is_white_space(next_character(line, position)))
      continue;
    if (here > word_begin)
      words.push_back(line.substr(word_begin, here - word_begin));
    word_begin = position;
  }
  if (line.size() > word_begin)
    words.push_back(line.substr(word_begin));
  return words;
}

}  // namespace phraseq
