#pragma once

#include <array>
#include <cstddef>
#include <functional>

#include <boost/asio/ip/tcp.hpp>

namespace phraseq {

/// Reads and discards what still arrives on a connection: if a connection is closed while data is
/// unread, the client may lose the response.
class DiscardedInput {
 public:
  /// The socket must outlive the object.
  explicit DiscardedInput(boost::asio::ip::tcp::socket& socket) : socket_(socket) {}

  /// Calls `ended` when the client has closed its side or has sent too much. `ended` must keep the
  /// object alive.
  void read(std::function<void()> ended);

 private:
  boost::asio::ip::tcp::socket& socket_;
  std::array<char, 16384> buffer_;
  size_t bytes_ = 0;
};

}  // namespace phraseq
