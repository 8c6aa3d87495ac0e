#include "core/serve/http/discarded_input.h"

#include <utility>

#include <boost/asio/buffer.hpp>

namespace phraseq {
namespace {

constexpr size_t kMostBytes = 64 << 20;

}  // namespace

void DiscardedInput::read(std::function<void()> ended) {
  socket_.async_read_some(
      boost::asio::buffer(buffer_),
      [this, ended = std::move(ended)](boost::system::error_code failure, size_t bytes) mutable {
        bytes_ += bytes;
        if (failure || bytes_ > kMostBytes)
          return ended();
        read(std::move(ended));
      });
}

}  // namespace phraseq
