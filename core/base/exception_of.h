#pragma once

#include <exception>

namespace phraseq {

/// What `work` throws, for the thread that waits for it; null if it throws nothing.
template <class Work>
std::exception_ptr exception_of(const Work& work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace phraseq
