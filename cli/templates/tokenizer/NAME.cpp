#include "@name@.h"

#include "core/io/utf8.h"

namespace @name@_plugin {

constexpr std::string_view kSpace = "\u2581";

std::vector<std::string> Characters::encode(std::string_view line) const {
  std::vector<std::string> symbols;
  for (size_t position = 0; position < line.size();) {
    const size_t begin = position;
    phraseq::next_character(line, position);
    const std::string_view character = line.substr(begin, position - begin);
    symbols.emplace_back(character == " " ? kSpace : character);
  }
  return symbols;
}

std::string Characters::decode(const std::vector<std::string>& symbols) const {
  std::string text;
  for (const std::string& symbol : symbols) text += symbol == kSpace ? " " : symbol;
  return text;
}

}  // namespace @name@_plugin
