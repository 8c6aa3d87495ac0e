#include "core/base/path_list.h"

#include <filesystem>

#include "core/base/text_fields.h"

namespace phraseq {

std::vector<std::string> listed_paths(const std::string& text) {
  std::error_code unknown;
  if (std::filesystem::exists(text, unknown))
    return {text};
  const auto parts = split_text(text, ":");
  return {parts.begin(), parts.end()};
}

}  // namespace phraseq
