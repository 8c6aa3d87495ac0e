#include "core/base/shell_quote.h"

#include <algorithm>

namespace phraseq {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("_-./:@%+,").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quoted_path(std::string_view text) {
  const std::string path = (text.starts_with('-') ? "./" : "") + std::string(text);
  if (!path.empty() && std::all_of(path.begin(), path.end(), is_plain))
    return path;
  std::string quoted = "'";
  for (const char c : path) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

}  // namespace phraseq
