#pragma once

#include <string>

namespace phraseq::testing {

/// A file that tests/golden/torch_files/generate.py wrote.
inline std::string golden_torch_file(const std::string& name) {
  return PHRASEQ_SOURCE_FOLDER "/tests/golden/torch_files/" + name;
}

}  // namespace phraseq::testing
