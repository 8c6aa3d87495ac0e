#pragma once

#include <cstdint>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

namespace phraseq {

/// Calls `work()` on another thread or, if the system cannot start one, when the result is needed.
template <class Work>
auto beside_this_thread(const Work& work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

/// Works on a text chunk by chunk, `workers` of them at a time, the first of them on this thread,
/// and passes the results to `use` in the order of the text. If the system cannot start that many
/// threads, this one does their work.
///
/// `next()` returns the next chunk, an empty one at the end; `work(chunk)` returns its result.
template <class Next, class Work, class Use>
void over_chunks(int64_t workers, const Next& next, const Work& work, const Use& use) {
  while (true) {
    std::vector<decltype(next())> chunks;
    while (static_cast<int64_t>(chunks.size()) < workers) {
      auto chunk = next();
      if (chunk.empty())
        break;
      chunks.push_back(std::move(chunk));
    }
    if (chunks.empty())
      return;
    std::vector<std::future<decltype(work(chunks[0]))>> others;
    for (size_t i = 1; i < chunks.size(); ++i)
      others.push_back(beside_this_thread([&, i] { return work(chunks[i]); }));
    use(work(chunks[0]));
    for (auto& other : others) use(other.get());
  }
}

}  // namespace phraseq
