// The server where memory runs out, one allocation after the other.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "core/serve/http_server.h"
#include "tests/serve/client.h"

namespace {

std::atomic<int> allocations_left =
    -1;  // of the server's threads, before one fails; -1: none fails
const std::thread::id test_thread = std::this_thread::get_id();

bool fails_now() {
  if (std::this_thread::get_id() == test_thread)
    return false;
  int left = allocations_left;
  while (left >= 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 0;
}

}  // namespace

void* operator new(size_t size) {
  void* const memory = fails_now() ? nullptr : std::malloc(size);
  if (memory == nullptr)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t /*size*/) noexcept { std::free(memory); }

namespace phraseq::serve_test {
namespace {

class HelloHandler final : public HttpHandler {
 public:
  void handle(HttpRequest /*request*/, std::function<void(HttpResponse)> reply) override {
    reply({200, "hello", "text/plain"});
  }
  HttpResponse refusal(const std::string& /*path*/,
                       int status,
                       const std::string& code,
                       const std::string& /*message*/) override {
    return {status, code};
  }
};

TEST(HttpServerWithoutMemory, AnswersAgainWhereverAnAllocationFailed) {
  HelloHandler handler;
  HttpServer server(
      "127.0.0.1", 0, {.read_seconds = 0.2, .write_seconds = 0.2, .request_seconds = 0.2}, handler);
  server.start();
  const int port = static_cast<int>(server.port());
  for (int before = 0; before < 8; ++before) {
    allocations_left = before;
    ask(port, "GET", "/");  // may fail
    allocations_left = -1;
    ASSERT_EQ(ask(port, "GET", "/").status, 200) << before;
  }
}

}  // namespace
}  // namespace phraseq::serve_test
