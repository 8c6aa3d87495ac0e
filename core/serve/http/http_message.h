#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace phraseq {

/// A request that was read completely.
struct HttpRequest {
  std::string method;
  std::string path;                            ///< without the query
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
  std::string address;  ///< of the client
  /// Set if nobody is waiting for the response any longer.
  std::shared_ptr<std::atomic<bool>> abandoned;

  /// The value of a header; "" if it is missing.
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct HttpResponse {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::map<std::string, std::string> headers = {};
  std::string user = {};  ///< who made the request, for the access log
};

/// The status of a request whose client disconnected, in logs and metrics; nginx has the same.
inline constexpr int kClientLeft = 499;

/// Why the server itself refuses a request.
struct HttpRefusal {
  int status;
  std::string code;     ///< for programs: "body_too_large"
  std::string message;  ///< for people
};

/// A request and its result, for the access log.
struct HttpExchange {
  std::string address;       ///< of the client
  std::string user;          ///< "" = unknown
  std::string method, path;  ///< without the query; "" if they could not be read
  unsigned version = 11;     ///< 10 times the HTTP version
  int status = 0;
  size_t bytes = 0;    ///< of the response's body
  double seconds = 0;  ///< from the beginning of the request to the end of the response
};

/// Answers requests. All calls come from the server's thread and must return quickly.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  /// `reply` may be called later and from any thread, at most once.
  virtual void handle(HttpRequest request, std::function<void(HttpResponse)> reply) = 0;
  /// Makes and counts the response to a request that is refused; `path` is empty if it is unknown.
  virtual HttpResponse refusal(const std::string& path, const HttpRefusal& refusal) = 0;
  /// Called when a client disconnects before its request is answered.
  virtual void client_left(const std::string& /*path*/) {}
  /// Called when a response has been written or the client has disconnected.
  virtual void finished(const HttpExchange& /*exchange*/) {}
};

}  // namespace phraseq
