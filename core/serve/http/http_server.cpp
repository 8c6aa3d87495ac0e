#include "core/serve/http/http_server.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/signals.h"
#include "core/serve/http/http_session.h"

namespace phraseq {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);
constexpr size_t kRefusedConnections = 64;  // number that get a 503 at a time; others are closed

/// Logs the failure, or nothing if there is not even memory for the message.
void report(const std::exception& failure) noexcept {
  try {
    log_error(std::string("a connection failed: ") + failure.what());
  } catch (const std::exception&) {
  }
}

}  // namespace

struct HttpServer::State {
  State(const HttpLimits& limits, HttpHandler& handler)
      : shared{limits, handler, context}, acceptor(context), pause(context) {}

  void listen(const std::string& host, int64_t port);
  error_code listen_at(const tcp::endpoint& endpoint);
  void accept();
  /// A token for the handler of a wait: asio destroys it with the handler, whether or not it was
  /// called.
  std::shared_ptr<void> wait_token();
  void accepted(error_code failure, tcp::socket socket);
  void run();

  SharedBySessions shared;  // outlives the sessions, which the context may still hold
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  bool accepts = true;          // whether the last connection was accepted
  std::weak_ptr<void> waiting;  // expired: no wait for a connection or a pause is pending
  std::thread thread;
};

void HttpServer::State::listen(const std::string& host, int64_t port) {
  error_code failure;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(host, std::to_string(port), failure);
  if (failure || found.empty())
    throw UsageError(fmt::format("--host {}: {}", host, failure.message()),
                     "Give an address of this machine, or a name that has one.");
  for (const auto& entry : found) {  // "localhost" has two addresses, and one may be unusable
    failure = listen_at(entry.endpoint());
    if (!failure)
      return;
  }
  throw IoError(
      place_text(host, port), "listen at", failure.value(), "Choose another --host or --port.");
}

error_code HttpServer::State::listen_at(const tcp::endpoint& endpoint) {
  error_code failure, ignored;
  acceptor.close(ignored);
  acceptor.open(endpoint.protocol(), failure);
  if (!failure)
    acceptor.set_option(tcp::acceptor::reuse_address(true), failure);
  if (!failure)
    acceptor.bind(endpoint, failure);
  if (!failure)
    acceptor.listen(asio::socket_base::max_listen_connections, failure);
  return failure;
}

void HttpServer::State::accept() {
  acceptor.async_accept([this, token = wait_token()](error_code failure, tcp::socket socket) {
    accepted(failure, std::move(socket));
  });
}

std::shared_ptr<void> HttpServer::State::wait_token() {
  auto token = std::make_shared<char>();
  waiting = token;
  return token;
}

void HttpServer::State::accepted(error_code failure, tcp::socket socket) {
  if (shared.stopping)
    return;
  if (failure) {  // for example, no file descriptor is left
    if (accepts)
      log_warning("a connection was not accepted: " + failure.message());
    accepts = false;
    pause.expires_after(kAcceptPause);
    pause.async_wait([this, token = wait_token()](error_code canceled) {
      if (!canceled)
        accept();
    });
    return;
  }
  accepts = true;
  const size_t limit = static_cast<size_t>(shared.limits.max_connections);
  if (shared.sessions.size() - shared.refused < limit) {
    serve_connection(std::move(socket), shared);
  } else if (shared.refused < kRefusedConnections) {
    refuse_connection(std::move(socket), shared);
  }
  accept();
}

/// Runs until no work is left. A failure ends only one session, even if there was no memory to
/// begin it.
void HttpServer::State::run() {
  for (;;) {
    try {
      if (waiting.expired() && !shared.stopping)
        accept();
      context.restart();  // it has stopped if only the failed session had work
      context.run();
      return;
    } catch (const std::exception& failure) {
      report(failure);
      if (waiting.expired())
        std::this_thread::sleep_for(kAcceptPause);
    }
  }
}

std::string place_text(const std::string& host, int64_t port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(is_v6 ? "[{}]:{}" : "{}:{}"), host, port);
}

HttpServer::HttpServer(const std::string& host,
                       int64_t port,
                       const HttpLimits& limits,
                       HttpHandler& handler)
    : state_(new State(limits, handler)) {
  state_->listen(host, port);
}

HttpServer::~HttpServer() { stop(); }

int64_t HttpServer::port() const { return state_->acceptor.local_endpoint().port(); }

int64_t HttpServer::connections() const { return state_->shared.connections; }

void HttpServer::start() {
  state_->accept();
  state_->thread = std::thread([state = state_.get()] {
    block_signals_on_this_thread();
    state->run();
  });
}

void HttpServer::stop() {
  if (!state_->thread.joinable())
    return;
  asio::post(state_->context, [state = state_.get()] {
    state->shared.stopping = true;
    error_code ignored;
    state->acceptor.close(ignored);
    state->pause.cancel();
    for (HttpSession* session : state->shared.sessions) stop_session(*session);
  });
  state_->thread.join();
}

}  // namespace phraseq
