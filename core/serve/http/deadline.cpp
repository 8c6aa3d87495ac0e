#include "core/serve/http/deadline.h"

#include <utility>

namespace phraseq {

void Deadline::set(std::chrono::nanoseconds time, std::function<void()> expired) {
  timer_.expires_after(time);
  timer_.async_wait([this, expired = std::move(expired), number = ++number_](
                        const boost::system::error_code& failure) {
    if (!failure && number == number_)
      expired();
  });
}

/// The new number is for a timer that has already expired and whose handler is waiting to be
/// called.
void Deadline::cancel() {
  ++number_;
  timer_.cancel();
}

}  // namespace phraseq
