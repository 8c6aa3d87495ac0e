#include "tests/serve/client.h"

#include <array>
#include <cctype>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace phraseq::serve_test {

Connection::Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    close();
}

Connection::~Connection() { close(); }

void Connection::close() {
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = -1;
}

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool Connection::fill() {
  std::array<char, 65536> block{};
  const ssize_t got = ::recv(socket_, block.data(), block.size(), 0);
  if (got <= 0)
    return false;
  buffer_.append(block.data(), static_cast<size_t>(got));
  return true;
}

bool Connection::is_at_end() { return !fill(); }

Response Connection::receive(bool has_body) {
  size_t end = std::string::npos;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill())
      return {};
  }
  Response response;
  response.status = std::stoi(buffer_.substr(buffer_.find(' ') + 1));
  size_t begin = buffer_.find("\r\n") + 2;
  while (begin < end + 2) {
    const size_t line_end = buffer_.find("\r\n", begin);
    const std::string line = buffer_.substr(begin, line_end - begin);
    std::string name = line.substr(0, line.find(':'));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    response.headers[name] = line.substr(line.find(':') + 2);
    begin = line_end + 2;
  }
  buffer_.erase(0, end + 4);
  if (!has_body || response.headers.count("content-length") == 0)
    return response;
  const size_t length = std::stoul(response.headers["content-length"]);
  while (buffer_.size() < length && fill()) {
  }
  response.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  return response;
}

std::string request_text(const std::string& method,
                         const std::string& path,
                         const std::string& body,
                         const std::string& headers) {
  return method + " " + path +
         " HTTP/1.1\r\nHost: test\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

Response ask(int port,
             const std::string& method,
             const std::string& path,
             const std::string& body,
             const std::string& headers) {
  Connection connection(port);
  connection.send(request_text(method, path, body, headers));
  return connection.receive(method != "HEAD");
}

Response post(int port, const std::string& path, const nlohmann::json& body) {
  return ask(port, "POST", path, body.dump(), "Content-Type: application/json\r\n");
}

}  // namespace phraseq::serve_test
