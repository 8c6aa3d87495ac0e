#include "core/convert/unsupported_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace phraseq {

void refuse_unsupported(const std::vector<std::string>& settings, const std::string& path) {
  if (settings.empty())
    return;
  throw UsageError(fmt::format("{}: the architecture transformer does not support\n    {}",
                               path,
                               fmt::join(settings, "\n    ")));
}

}  // namespace phraseq
