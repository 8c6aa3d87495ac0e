// Bytes that arrive at a port of phraseq serve, over one connection. The answer is the requested
// address. A connection ends with a response or is closed, and the server keeps running.

#include <cstdlib>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "core/serve/http/http_server.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

class Echo final : public HttpHandler {
 public:
  void handle(HttpRequest request, std::function<void(HttpResponse)> reply) override {
    if (request.path.find('?') != std::string::npos || request.body.size() > 4096)
      std::abort();
    reply({200, request.path + request.header("content-type"), "text/plain"});
  }
  HttpResponse refusal(const std::string& /*path*/, const HttpRefusal& refusal) override {
    return {refusal.status, refusal.code + ": " + refusal.message};
  }
};

/// One server for all inputs of the process, which is never stopped.
const HttpServer& server() {
  static Echo& echo = *new Echo;
  static HttpServer& running = *[] {
    const HttpLimits limits = {.max_body_bytes = 4096, .read_seconds = 5};
    auto* made = new HttpServer("127.0.0.1", 0, limits, echo);
    made->start();
    return made;
  }();
  return running;
}

int connect_to(int64_t port) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("the server does not accept a connection");
  return client;
}

/// The bytes that the server sends until it closes the connection.
std::string answer_to(std::string_view request) {
  const int client = connect_to(server().port());
  [[maybe_unused]] const auto sent = send(client, request.data(), request.size(), MSG_NOSIGNAL);
  shutdown(client, SHUT_WR);
  std::string answer;
  char block[4096];
  for (ssize_t count = 0; (count = recv(client, block, sizeof(block), 0)) > 0;)
    answer.append(block, static_cast<size_t>(count));
  const linger at_once = {1, 0};  // does not leave the port in TIME_WAIT
  setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(client);
  return answer;
}

}  // namespace

PHRASEQ_FUZZ_TARGET(http_request) {
  const std::string answer = answer_to(fuzz::text_of(data, size));
  if (!answer.empty() && !answer.starts_with("HTTP/1."))
    throw std::logic_error("the answer is no HTTP");
  return 0;
}
