#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace phraseq {

/// Whether the byte continues a character of UTF-8 text: 0x80 to 0xBF.
constexpr bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// The characters of UTF-8 text.
inline std::vector<std::string> utf8_characters(std::string_view text) {
  std::vector<std::string> characters;
  for (const char byte : text) {
    if (characters.empty() || !continues_character(byte))
      characters.emplace_back();
    characters.back() += byte;
  }
  return characters;
}

}  // namespace phraseq
