#include "core/text/moses/text_rules.h"

#include "core/text/unicode.h"

namespace phraseq::moses {

Text replace_all(View text, View what, View with) {
  Text result;
  size_t begin = 0;
  for (size_t found = text.find(what); found != View::npos; found = text.find(what, begin)) {
    result += text.substr(begin, found - begin);
    result += with;
    begin = found + what.size();
  }
  return result += text.substr(begin);
}

Text replace_each(Text text, const std::vector<std::pair<View, View>>& pairs) {
  for (const auto& [what, with] : pairs) {
    if (text.find(what) != Text::npos)
      text = replace_all(text, what, with);
  }
  return text;
}

std::vector<Text> split(View text) {
  std::vector<Text> words;
  bool in_word = false;
  for (const char32_t character : text) {
    if (is_space(character)) {
      in_word = false;
      continue;
    }
    if (!in_word)
      words.emplace_back();
    in_word = true;
    words.back() += character;
  }
  return words;
}

Text join(const std::vector<Text>& words) {
  Text text;
  for (const Text& word : words) {
    if (&word != &words.front())
      text += U' ';
    text += word;
  }
  return text;
}

Text single_blanks(View text) { return join(split(text)); }

std::string to_utf8(View text) {
  std::string bytes;
  for (const char32_t character : text) append_utf8(bytes, character);
  return bytes;
}

}  // namespace phraseq::moses
