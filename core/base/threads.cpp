#include "core/base/threads.h"

#include <future>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/signals.h"

namespace phraseq {

void require_threads(size_t count) {
  const SignalsBlocked in_the_threads;
  std::promise<void> end;
  const auto threads =
      start_threads(count, [ended = end.get_future().share()](size_t) { ended.wait(); });
  end.set_value();
  if (threads.size() == count)
    return;
  throw Error(kExitIo,
              fmt::format("cannot start {} threads: the system allows {}", count, threads.size()),
              "Use fewer --threads, or raise the limit: ulimit -u, ulimit -v, or the pids limit of "
              "the container.");
}

}  // namespace phraseq
