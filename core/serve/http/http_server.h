#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/serve/http/http_message.h"

namespace phraseq {

/// Limits that protect a server from slow, large or too many requests.
struct HttpLimits {
  int64_t max_body_bytes = 4 << 20;
  int64_t max_connections = 512;
  double read_seconds = 30;     ///< for a whole request to arrive, and for the next one to begin
  double write_seconds = 30;    ///< for a response to be received
  double request_seconds = 60;  ///< from the request's arrival to its response
};

/// A host and port as text: "localhost:8080", "[::1]:8080".
std::string place_text(const std::string& host, int64_t port);

/// An HTTP/1.1 server that runs on its own thread (Boost.Beast).
///
/// A request that exceeds a limit is answered with a status: 408 (the request arrives too slowly),
/// 413 (body), 431 (headers), 503 (connections), 504 (no response in time).
class HttpServer {
 public:
  /// Starts listening at once. `port` 0 = any free one. Throws IoError if the address cannot be
  /// used.
  HttpServer(const std::string& host, int64_t port, const HttpLimits& limits, HttpHandler& handler);
  /// Stops.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int64_t port() const;
  int64_t connections() const;
  /// Starts answering requests.
  void start();
  /// Accepts no more connections; returns when all requests that had begun to arrive have been
  /// answered.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace phraseq
