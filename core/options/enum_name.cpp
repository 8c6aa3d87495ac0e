#include "core/options/enum_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/wording/close_matches.h"

namespace phraseq {

void refuse_enum_name(std::string_view name, const std::vector<std::string>& names) {
  const std::string guess = did_you_mean(name, names);
  throw UsageError(fmt::format(
      "'{}' is not one of {}{}{}", name, fmt::join(names, ", "), guess.empty() ? "" : "; ", guess));
}

}  // namespace phraseq
