#pragma once

#include <string>

#include "core/base/error.h"

namespace phraseq {

inline constexpr const char* kNothingThrown = "nothing was thrown";

/// The message of the error of a type that `work` throws, or kNothingThrown. Other errors pass.
template <class E = Error, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const E& error) {
    return error.message();
  }
  return kNothingThrown;
}

/// The same with the hint.
template <class E = Error, class Work>
std::string whole_message_of(const Work& work) {
  try {
    work();
  } catch (const E& error) {
    return error.what();
  }
  return kNothingThrown;
}

}  // namespace phraseq
