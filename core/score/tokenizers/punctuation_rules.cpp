#include "core/score/tokenizers/punctuation_rules.h"

#include <utility>

#include "core/base/text_fields.h"
#include "core/text/replace_all.h"

namespace phraseq::score {
namespace {

bool is_mark(char byte) { return byte == '.' || byte == ','; }

/// Whether a byte matches `[{-~[-` -&(-+:-@/]`, except for the blank, around which additional
/// blanks make no difference.
bool is_symbol_byte(char byte) {
  return (byte >= '{' && byte <= '~') || (byte >= '[' && byte <= '`') ||
         (byte >= '!' && byte <= '&') || (byte >= '(' && byte <= '+') ||
         (byte >= ':' && byte <= '@') || byte == '/';
}

/// Rewrites every pair of neighboring bytes that `matches`, skipping both, as `before first
/// between second after`.
template <class Matches>
std::string rewrite_pairs(std::string_view text,
                          Matches matches,
                          std::string_view before,
                          std::string_view after) {
  std::string result;
  result.reserve(text.size() + text.size() / 4);
  size_t copied = 0;
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    if (!matches(text[at], text[at + 1]))
      continue;
    result.append(text, copied, at - copied);
    result += before;
    result += text[at];
    result += ' ';
    result += text[++at];
    result += after;
    copied = at + 1;
  }
  return result.append(text, copied);
}

}  // namespace

std::string space_symbols(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 2);
  size_t copied = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_symbol_byte(text[at]))
      continue;
    result.append(text, copied, at - copied);
    result += ' ';
    result += text[at];
    result += ' ';
    copied = at + 1;
  }
  return result.append(text, copied);
}

std::string space_marks_after_a_nondigit(std::string_view text) {
  return rewrite_pairs(
      text, [](char a, char b) { return !is_ascii_digit(a) && is_mark(b); }, "", " ");
}

std::string space_marks_before_a_nondigit(std::string_view text) {
  return rewrite_pairs(
      text, [](char a, char b) { return is_mark(a) && !is_ascii_digit(b); }, " ", "");
}

std::string space_dashes_after_a_digit(std::string_view text) {
  return rewrite_pairs(
      text, [](char a, char b) { return is_ascii_digit(a) && b == '-'; }, "", " ");
}

std::string apply_punctuation_rules(std::string_view text) {
  return space_dashes_after_a_digit(
      space_marks_before_a_nondigit(space_marks_after_a_nondigit(space_symbols(text))));
}

std::string decode_entities(std::string text) {
  if (text.find('&') == std::string::npos)
    return text;
  text = replace_all(std::move(text), "&quot;", "\"");
  text = replace_all(std::move(text), "&amp;", "&");
  text = replace_all(std::move(text), "&lt;", "<");
  return replace_all(std::move(text), "&gt;", ">");
}

}  // namespace phraseq::score
