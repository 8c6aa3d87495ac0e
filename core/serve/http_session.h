#pragma once

#include <atomic>
#include <cstdint>
#include <set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "core/serve/http_server.h"

namespace phraseq {

/// One connection: reads a request, hands it on, writes the response, and so on. It lives as long
/// as something is expected of it.
class HttpSession;

/// What the sessions share with the server; used by its thread only.
struct SharedBySessions {
  const HttpLimits limits;
  HttpHandler& handler;
  boost::asio::io_context& context;
  bool stopping = false;
  std::set<HttpSession*> sessions = {};
  std::atomic<int64_t> connections = 0;  // read by others
};

/// Answers the requests of a connection.
void serve_connection(boost::asio::ip::tcp::socket socket, SharedBySessions& shared);

/// Answers 503 without waiting for a request.
void refuse_connection(boost::asio::ip::tcp::socket socket, SharedBySessions& shared);

/// The server stops: a connection without a request ends, any other after its response.
void stop_session(HttpSession& session);

}  // namespace phraseq
