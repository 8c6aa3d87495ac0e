// The server when memory runs out at one allocation after another.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "core/serve/http/http_server.h"
#include "tests/serve/client.h"

namespace {

constexpr int kNever = 1 << 30;
// The numbers of the first allocation of the server's threads that fails, and of the first one that
// succeeds again.
std::atomic<int> first_failing = kNever, first_after = kNever;
std::atomic<int> allocations = 0;
const std::thread::id test_thread = std::this_thread::get_id();

bool fails_now() {
  if (std::this_thread::get_id() == test_thread)
    return false;
  const int number = allocations++;
  return number >= first_failing && number < first_after;
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
  HttpResponse refusal(const std::string& /*path*/, const HttpRefusal& refusal) override {
    return {refusal.status, refusal.code};
  }
};

/// Makes `count` allocations fail after `before` further ones.
void fail_after(int before, int count) {
  const int first = allocations + before;
  first_after = first + count;
  first_failing = first;
}

TEST(HttpServerWithoutMemory, AnswersAgainWhereverAllocationsFailed) {
  HelloHandler handler;
  HttpServer server(
      "127.0.0.1", 0, {.read_seconds = 0.5, .write_seconds = 0.5, .request_seconds = 0.5}, handler);
  server.start();
  const int port = static_cast<int>(server.port());
  for (const int count : {1, 3}) {
    for (int before = 0; before < 6; ++before) {
      fail_after(before, count);
      ask(port, "GET", "/");  // may fail
      first_failing = kNever;
      ASSERT_EQ(ask(port, "GET", "/").status, 200) << before << ", " << count;
    }
  }
}

}  // namespace
}  // namespace phraseq::serve_test
