#include "core/base/wording/first_items.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq {

std::string first_items(std::span<const std::string> items,
                        size_t most,
                        std::string_view separator) {
  const size_t shown = std::min(items.size(), most);
  std::string text = fmt::format("{}", fmt::join(items.first(shown), separator));
  if (shown < items.size())
    text += fmt::format("{}and {} more", separator, items.size() - shown);
  return text;
}

}  // namespace phraseq
