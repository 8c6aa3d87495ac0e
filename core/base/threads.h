#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace phraseq {

/// Threads that call work(0), work(1) … and are joined when they are destroyed: `count` of them, or
/// fewer if the system refuses to start more.
template <typename Work>
std::vector<std::jthread> start_threads(size_t count, const Work& work) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work, threads.size());
  } catch (const std::system_error&) {
    return threads;
  }
  return threads;
}

}  // namespace phraseq
