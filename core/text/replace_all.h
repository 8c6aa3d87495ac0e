#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace phraseq {

/// `text` with every `what` replaced by `with`, from left to right; `what` must not be empty. A
/// text without `what` is moved to the result, without a copy.
inline std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  size_t found = text.find(what);
  if (found == std::string::npos)
    return text;
  std::string result;
  size_t begin = 0;
  for (; found != std::string::npos; found = text.find(what, begin)) {
    result.append(text, begin, found - begin);
    result += with;
    begin = found + what.size();
  }
  return result.append(text, begin);
}

}  // namespace phraseq
