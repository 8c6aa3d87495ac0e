#pragma once

#include <array>
#include <string>
#include <unistd.h>

namespace phraseq {

/// The name of this machine, "localhost" where the system tells none.
inline std::string host_name() {
  std::array<char, 256> name{};
  const bool is_told = ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0';
  return is_told ? name.data() : "localhost";
}

}  // namespace phraseq
