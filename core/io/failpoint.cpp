#include "core/io/failpoint.h"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string_view>

namespace phraseq {

#ifdef PHRASEQ_FAILPOINTS

int failpoint(const char* name) {
  const char* setting = std::getenv("PHRASEQ_FAILPOINT");
  if (setting == nullptr)
    return 0;
  const std::string_view text = setting;
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.substr(0, colon) != name)
    return 0;
  const std::string_view action = text.substr(colon + 1);
  if (action == "kill")
    std::raise(SIGKILL);
  int error_number = 0;
  std::from_chars(action.data(), action.data() + action.size(), error_number);
  return error_number;
}

#else

int failpoint(const char*) { return 0; }

#endif

}  // namespace phraseq
