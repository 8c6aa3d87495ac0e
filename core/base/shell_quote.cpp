#include "core/base/shell_quote.h"

#include <algorithm>

#include "core/base/text_fields.h"

namespace phraseq {
namespace {

bool is_plain(char c) {
  const bool letter = is_ascii_letter(c) || is_ascii_digit(c);
  return letter || std::string_view("_-./:@%+,=").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  // In zsh, "=ls" is the path of ls.
  if (!text.empty() && text[0] != '=' && std::all_of(text.begin(), text.end(), is_plain))
    return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string shell_quoted_path(std::string_view text) {
  return shell_quoted((text.starts_with('-') ? "./" : "") + std::string(text));
}

}  // namespace phraseq
