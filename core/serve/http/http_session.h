#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "core/serve/http/http_server.h"

namespace phraseq {

/// One connection: reads a request, passes it on, writes the response, and so on. It exists as long
/// as it has pending work.
class HttpSession;

/// The data that the sessions share with the server; used only by its thread.
struct SharedBySessions {
  const HttpLimits limits;
  HttpHandler& handler;
  boost::asio::io_context& context;
  bool stopping = false;
  std::set<HttpSession*> sessions = {};
  size_t refused = 0;                    // number of open refused sessions
  std::atomic<int64_t> connections = 0;  // also read by other threads
};

/// Answers the requests of a connection.
void serve_connection(boost::asio::ip::tcp::socket socket, SharedBySessions& shared);

/// Answers 503 without waiting for a request.
void refuse_connection(boost::asio::ip::tcp::socket socket, SharedBySessions& shared);

/// Call when the server stops: ends a connection without a request immediately, and any other after
/// its response.
void stop_session(HttpSession& session);

}  // namespace phraseq
