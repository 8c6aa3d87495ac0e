#include "@name@.h"

#include "core/io/utf8.h"
#include "core/text/unicode.h"

namespace @name@_plugin {

constexpr std::string_view kSpace = "\u2581";

std::vector<std::string> Characters::encode(std::string_view line) const {
  std::vector<std::string> symbols;
  for (size_t position = 0; position < line.size();) {
    const size_t begin = position;
    const char32_t character = phraseq::next_character(line, position);
    const bool is_space = phraseq::is_space(character);
    symbols.emplace_back(is_space ? kSpace : line.substr(begin, position - begin));
  }
  return symbols;
}

std::string Characters::decode(const std::vector<std::string>& symbols) const {
  std::string text;
  for (const std::string& symbol : symbols) text += symbol == kSpace ? " " : symbol;
  return text;
}

}  // namespace @name@_plugin
