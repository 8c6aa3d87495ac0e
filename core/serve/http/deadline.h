#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace phraseq {

/// A timer for one deadline at a time. Used only by the server's thread.
class Deadline {
 public:
  explicit Deadline(boost::asio::io_context& context) : timer_(context) {}

  /// Calls `expired` after `time`, unless another deadline is set or this one is canceled before.
  /// `expired` must keep the owner of this object alive.
  void set(std::chrono::nanoseconds time, std::function<void()> expired);
  void cancel();

 private:
  boost::asio::steady_timer timer_;
  int64_t number_ = 0;
};

}  // namespace phraseq
