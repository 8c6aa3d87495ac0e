#pragma once

#include <future>

namespace phraseq::conformance {

/// Whether two threads that call `read` at once both get what one alone gets.
template <class Read>
bool two_threads_agree(const Read& read) {
  const auto expected = read();
  auto one = std::async(std::launch::async, read);
  auto other = std::async(std::launch::async, read);
  const bool first_agrees = one.get() == expected;
  return other.get() == expected && first_agrees;
}

}  // namespace phraseq::conformance
