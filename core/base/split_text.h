#pragma once

#include <string_view>
#include <vector>

namespace phraseq {

/// The parts of `text` between the separators, empty ones too; one part where there is no
/// separator. `text` must outlive them.
inline std::vector<std::string_view> split_text(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace phraseq
