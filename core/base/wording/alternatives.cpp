#include "core/base/wording/alternatives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phraseq {

std::string alternatives(std::span<const std::string> items) {
  if (items.size() < 2)
    return items.empty() ? std::string() : items.front();
  return fmt::format("{} or {}", fmt::join(items.first(items.size() - 1), ", "), items.back());
}

}  // namespace phraseq
