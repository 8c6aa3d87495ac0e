#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace phraseq::docs {

struct Link {
  std::string file, place;  ///< FILE#PLACE; either may be empty
};

/// Targets of `[text](target)` within this tree: no addresses, and no parameters of a lambda in an
/// example, such as `[&](const at::Tensor& h)`.
inline std::vector<Link> links_and_places_in(const std::string& text) {
  std::vector<Link> links;
  for (size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
    const size_t end = text.find_first_of(")\n", at);
    if (end == std::string::npos || text[end] == '\n')
      continue;
    const std::string target = text.substr(at + 2, end - at - 2);
    const size_t hash = std::min(target.find('#'), target.size());
    const bool is_file =
        target.find("://") == std::string::npos && target.find(' ') == std::string::npos;
    if (!target.empty() && is_file)
      links.push_back({target.substr(0, hash), target.substr(std::min(hash + 1, target.size()))});
  }
  return links;
}

/// The files that a page links to.
inline std::vector<std::string> links_in(const std::string& text) {
  std::vector<std::string> files;
  for (const Link& link : links_and_places_in(text)) {
    if (!link.file.empty())
      files.push_back(link.file);
  }
  return files;
}

}  // namespace phraseq::docs
