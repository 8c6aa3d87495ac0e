#include "core/phrase_memory/rules/plain_tokens.h"

#include <algorithm>

#include "core/base/text_fields.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

/// Marks outside of ASCII: « » „ “ – … 、 。 and full width forms of ASCII marks.
bool is_wide_mark(char32_t one) {
  return (one >= 0xA0 && one < 0xC0) || (one >= 0x2010 && one < 0x2070) ||
         (one >= 0x3000 && one < 0x3030) || (one >= 0xFF01 && one < 0xFF10);
}
bool is_wide_blank(char32_t one) {
  return one == 0xA0 || (one >= 0x2000 && one <= 0x200B) || one == 0x202F || one == 0x3000;
}

/// The text with ASCII blanks for all others, blanks around marks outside of ASCII, and no soft
/// hyphens.
std::string with_plain_blanks(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t one = next_character(text, at);
    if (one == 0xAD)
      continue;
    if (is_wide_blank(one))
      plain += ' ';
    else if (is_wide_mark(one))
      plain += ' ' + std::string(text.substr(begin, at - begin)) + ' ';
    else
      plain += text.substr(begin, at - begin);
  }
  return plain;
}

bool is_inner_mark(char one) { return one == '.' || one == ',' || one == ':'; }

/// Where the token that begins at `begin` ends.
size_t token_end(std::string_view text, size_t begin) {
  size_t end = begin + 1;
  const bool has_loose_comma = text[begin] == ',' && end < text.size() &&
                               is_ascii_digit(text[end]) && begin > 1 && text[begin - 1] == ' ' &&
                               is_ascii_digit(text[begin - 2]);
  if (is_ascii_digit(text[begin]) || has_loose_comma) {
    const auto continues = [&](size_t at) {
      return is_ascii_digit(text[at]) ||
             (is_inner_mark(text[at]) && at + 1 < text.size() && is_ascii_digit(text[at + 1]));
    };
    while (end < text.size() && continues(end)) ++end;
  } else if (is_letter_byte(text[begin])) {
    while (end < text.size() && is_letter_byte(text[end])) ++end;
  }
  return end;
}

bool is_loose_group(const std::vector<std::string>& tokens) {
  const std::string& last = tokens.back();
  return last.size() == 4 && last.front() == ',' && is_ascii_digit(last[1]);
}

void join_last(std::vector<std::string>& tokens) {
  const std::string last = std::move(tokens.back());
  tokens.pop_back();
  tokens.back() += last;
}

}  // namespace

std::vector<std::string> plain_tokens(std::string_view given) {
  const std::string text = with_plain_blanks(given);
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    at = token_end(text, begin);
    if (text[begin] != ' ' && text[begin] != '\t')
      tokens.push_back(text.substr(begin, at - begin));
    if (tokens.size() > 1 && is_loose_group(tokens))  // 10 ,000
      join_last(tokens);
  }
  return tokens;
}

bool has_phrase(const std::vector<std::string>& text, const std::vector<std::string>& phrase) {
  return std::search(text.begin(), text.end(), phrase.begin(), phrase.end()) != text.end();
}

}  // namespace phraseq
