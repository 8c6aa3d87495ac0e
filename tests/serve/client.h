#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace phraseq::serve_test {

struct Response {
  int status = 0;                              ///< 0: the connection ended without a response
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

/// A connection to 127.0.0.1 for tests, which sends any bytes.
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return socket_ >= 0; }
  /// Returns false if the other side has closed the connection.
  bool send(std::string_view bytes);
  /// The next response. `has_body` = false after HEAD.
  Response receive(bool has_body = true);
  /// Whether the other side has closed the connection, so that nothing more arrives.
  bool is_at_end();
  void close();

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

/// A request as text, with Content-Length.
std::string request_text(const std::string& method,
                         const std::string& path,
                         const std::string& body = {},
                         const std::string& headers = {});

/// Sends one request on a new connection.
Response ask(int port,
             const std::string& method,
             const std::string& path,
             const std::string& body = {},
             const std::string& headers = {});
Response post(int port, const std::string& path, const nlohmann::json& body);

}  // namespace phraseq::serve_test
