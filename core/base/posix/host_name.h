#pragma once

#include <array>
#include <string>
#include <unistd.h>

namespace phraseq {

/// The name of this machine, or "localhost" if the system does not know it.
inline std::string host_name() {
  std::array<char, 256> name{};
  const bool is_known = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return is_known ? name.data() : "localhost";
}

}  // namespace phraseq
