#pragma once

#include <cstdint>
#include <future>
#include <utility>
#include <vector>

namespace phraseq {

/// Works on a text stretch by stretch, `workers` of them at a time, the first on this thread, and
/// hands the results to `use` in the order of the text.
///
/// `next()` gives the next stretch, an empty one at the end; `work(stretch)` its result.
template <class Next, class Work, class Use>
void over_stretches(int64_t workers, const Next& next, const Work& work, const Use& use) {
  while (true) {
    std::vector<decltype(next())> stretches;
    while (static_cast<int64_t>(stretches.size()) < workers) {
      auto stretch = next();
      if (stretch.empty())
        break;
      stretches.push_back(std::move(stretch));
    }
    if (stretches.empty())
      return;
    std::vector<std::future<decltype(work(stretches[0]))>> others;
    for (size_t i = 1; i < stretches.size(); ++i)
      others.push_back(std::async(std::launch::async, [&, i] { return work(stretches[i]); }));
    use(work(stretches[0]));
    for (auto& other : others) use(other.get());
  }
}

}  // namespace phraseq
