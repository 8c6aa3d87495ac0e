#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace phraseq {

/// `text` with `with` in every place of `what`, from left to right; `what` is not empty.
inline std::string replace_all(std::string_view text,
                               std::string_view what,
                               std::string_view with) {
  std::string result;
  size_t begin = 0;
  for (size_t found = text.find(what); found != std::string_view::npos;
       found = text.find(what, begin)) {
    result += text.substr(begin, found - begin);
    result += with;
    begin = found + what.size();
  }
  return result += text.substr(begin);
}

}  // namespace phraseq
