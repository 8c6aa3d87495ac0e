#pragma once

#include <string>

#include "core/base/error.h"

namespace phraseq {

inline constexpr const char* kNothingThrown = "nothing was thrown";

/// Applies `text` to the error of type E that `work` throws, or returns kNothingThrown. Other
/// errors pass.
template <class E, class Work, class Text>
std::string text_of_error(const Work& work, const Text& text) {
  try {
    work();
  } catch (const E& error) {
    return text(error);
  }
  return kNothingThrown;
}

/// The message of the error.
template <class E = Error, class Work>
std::string message_of(const Work& work) {
  return text_of_error<E>(work, [](const E& error) { return error.message(); });
}

/// The message with the hint.
template <class E = Error, class Work>
std::string whole_message_of(const Work& work) {
  return text_of_error<E>(work, [](const E& error) { return std::string(error.what()); });
}

}  // namespace phraseq
