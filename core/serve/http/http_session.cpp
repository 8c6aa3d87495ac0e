#include "core/serve/http/http_session.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "core/serve/http/deadline.h"
#include "core/serve/http/discarded_input.h"
#include "core/serve/http/http_header.h"
#include "core/serve/http/response_message.h"

namespace phraseq {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::beast::flat_buffer;
using boost::system::error_code;

constexpr uint32_t kHeaderBytes = 16 << 10;
constexpr size_t kBufferBytes = 64 << 10;  // also limits trailers, which have no other limit
constexpr auto kDrainTime = std::chrono::seconds(5);
constexpr std::chrono::nanoseconds kStopTime{5'000'000'000};  // for the rest of a request to arrive
constexpr auto kStopDrainTime = std::chrono::milliseconds(500);

std::chrono::nanoseconds duration_of(double seconds) {
  return std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

/// Why a request that could not be read is refused; nothing if the client has left.
std::optional<HttpRefusal> refusal_of(error_code failure, const HttpLimits& limits) {
  if (failure == http::error::body_limit) {
    return HttpRefusal{413,
                       "body_too_large",
                       fmt::format("the body has more than {} bytes", limits.max_body_bytes)};
  }
  if (failure == http::error::header_limit || failure == http::error::buffer_overflow)
    return HttpRefusal{431, "headers_too_large", "the headers are too large"};
  const bool malformed =
      failure.category() == http::make_error_code(http::error::end_of_stream).category() &&
      failure != http::error::end_of_stream && failure != http::error::partial_message;
  if (malformed)
    return HttpRefusal{400, "bad_request", "not an HTTP request: " + failure.message()};
  return std::nullopt;
}

std::string address_text(const tcp::socket& socket) {
  error_code failure;
  const auto endpoint = socket.remote_endpoint(failure);
  return failure ? std::string() : endpoint.address().to_string();
}

}  // namespace

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(tcp::socket socket, SharedBySessions& shared)
      : socket_(std::move(socket)),
        deadline_(shared.context),
        shared_(shared),
        address_(address_text(socket_)),
        begin_(std::chrono::steady_clock::now()) {
    shared_.sessions.insert(this);
    shared_.connections = static_cast<int64_t>(shared_.sessions.size());
  }
  ~HttpSession() {
    shared_.sessions.erase(this);
    shared_.refused -= is_refused_ ? 1 : 0;
    shared_.connections = static_cast<int64_t>(shared_.sessions.size());
  }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void start();
  /// Answers 503 without waiting for a request.
  void refuse_connection();
  /// Call when the server stops: ends a connection without a request at once, and any other after
  /// its response; a request that is still arriving has a few more seconds.
  void stop();

 private:
  /// A session that another thread holds; it ends on the server's thread.
  struct Held {
    explicit Held(std::shared_ptr<HttpSession> the_session) : session(std::move(the_session)) {}
    ~Held() {
      asio::io_context& context = session->shared_.context;
      if (context.get_executor().running_in_this_thread())
        return;
      try {
        asio::post(context, [last = std::move(session)] {});
      } catch (const std::bad_alloc&) {  // the session ended on this thread
      }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    std::shared_ptr<HttpSession> session;
  };

  enum class Phase { kIdle, kReading, kHandling, kWriting, kDraining, kClosed };

  void close();

  // Reading
  void skip_empty_lines();
  void read_header();
  void await_request();
  void limit_reading(std::chrono::nanoseconds time);
  void continue_header();
  void read_body();
  void take_header();
  /// Sends 100 Continue, for which some clients wait before they send the body.
  void invite_body();
  void receive_body();
  void read_failed(error_code failure);

  // Handling
  void handle();
  /// Answers the request of this number, unless it has been answered.
  void reply(int64_t number, HttpResponse response);
  void limit_handling(const HttpRequest& request);
  /// Drops the request if the client closes its connection. If it sends data instead, that is the
  /// next request, which is not read until this one has been answered.
  void watch_client(const HttpRequest& request, int64_t number);
  bool client_has_left();

  // Writing
  /// A response to a request that was not read: the connection ends after it.
  void refuse(const HttpRefusal& refusal);
  void write(HttpResponse response);
  void written(error_code failure);
  void report_exchange(int status);
  void drain();
  void limit_draining();

  tcp::socket socket_;
  Deadline deadline_;
  SharedBySessions& shared_;
  std::string address_;
  flat_buffer buffer_{kBufferBytes};
  HttpRequest request_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  Phase phase_ = Phase::kIdle;
  bool is_refused_ = false;
  bool is_slow_ = false;
  ResponseForm form_;
  bool discards_rest_ = false;
  int64_t request_number_ = 0;
  HttpExchange exchange_;
  std::chrono::steady_clock::time_point begin_;
  std::optional<DiscardedInput> discarded_;
};

void HttpSession::start() {
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  read_header();
}

void HttpSession::refuse_connection() {
  is_refused_ = true;
  ++shared_.refused;
  refuse({503, "too_many_connections", "too many connections are open; try again later"});
}

void HttpSession::stop() {
  if (phase_ == Phase::kIdle)
    close();
  if (phase_ == Phase::kReading && !is_slow_)
    limit_reading(std::min(kStopTime, duration_of(shared_.limits.read_seconds)));
  if (phase_ == Phase::kDraining)
    limit_draining();
}

void HttpSession::close() {
  phase_ = Phase::kClosed;
  ++request_number_;  // no answer is expected any longer
  deadline_.cancel();
  error_code ignored;
  socket_.close(ignored);
}

// Reading

/// RFC 9112, section 2.2: a client may send empty lines before a request.
void HttpSession::skip_empty_lines() {
  const auto starts_with_break = [this] {
    const auto bytes = buffer_.data();
    return std::string_view(static_cast<const char*>(bytes.data()), bytes.size())
        .starts_with("\r\n");
  };
  while (starts_with_break()) buffer_.consume(2);
}

void HttpSession::read_header() {
  skip_empty_lines();
  phase_ = buffer_.size() > 0 ? Phase::kReading : Phase::kIdle;
  parser_.emplace();
  parser_->header_limit(kHeaderBytes);
  parser_->body_limit(static_cast<uint64_t>(shared_.limits.max_body_bytes));
  limit_reading(duration_of(shared_.limits.read_seconds));
  if (phase_ == Phase::kIdle) {
    await_request();
  } else {
    continue_header();
  }
}

/// Waits for the first bytes of a request, whose time begins then.
void HttpSession::await_request() {
  constexpr size_t kFirstBytes = 4 << 10;
  socket_.async_read_some(buffer_.prepare(kFirstBytes),
                          [self = shared_from_this()](error_code failure, size_t bytes) {
                            if (failure)
                              return self->close();
                            self->buffer_.commit(bytes);
                            self->skip_empty_lines();
                            if (self->buffer_.size() == 0)
                              return self->await_request();
                            self->limit_reading(duration_of(self->shared_.limits.read_seconds));
                            self->continue_header();
                          });
}

void HttpSession::limit_reading(std::chrono::nanoseconds time) {
  is_slow_ = false;
  deadline_.set(time, [self = shared_from_this()] {
    self->is_slow_ = true;
    error_code ignored;
    self->socket_.cancel(ignored);
    // Data that had already arrived is still read, but only for this long.
    self->deadline_.set(kDrainTime, [self] { self->close(); });
  });
}

void HttpSession::continue_header() {
  phase_ = Phase::kReading;
  exchange_ = {};
  begin_ = std::chrono::steady_clock::now();
  http::async_read_header(
      socket_, buffer_, *parser_, [self = shared_from_this()](error_code failure, size_t) {
        if (failure)
          return self->read_failed(failure);
        self->read_body();
      });
}

void HttpSession::read_body() {
  const HttpHeader& header = parser_->get();
  if (const auto refusal = refusal_of(header))
    return refuse(*refusal);
  take_header();
  if (waits_for_invitation(header) && !parser_->is_done())
    return invite_body();
  receive_body();
}

/// Call before the body is read: fields that follow it (trailers) are not part of the header (RFC
/// 9110, section 6.5.1).
void HttpSession::take_header() {
  const auto& header = parser_->get();
  form_.keeps_alive = header.keep_alive() && has_known_end(header);
  form_.version = header.version();
  form_.is_head = header.method() == http::verb::head;
  request_ = request_of(header);
  exchange_.method = request_.method;
  exchange_.path = request_.path;
}

void HttpSession::invite_body() {
  static constexpr std::string_view kInvitation = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_,
                    asio::buffer(kInvitation.data(), kInvitation.size()),
                    [self = shared_from_this()](error_code failure, size_t) {
                      if (failure)
                        return self->read_failed(failure);
                      self->receive_body();
                    });
}

void HttpSession::receive_body() {
  http::async_read(
      socket_, buffer_, *parser_, [self = shared_from_this()](error_code failure, size_t) {
        if (failure)
          return self->read_failed(failure);
        self->handle();
      });
}

void HttpSession::read_failed(error_code failure) {
  if (is_slow_ && parser_->got_some())
    return refuse({408, "request_timeout", "the request did not arrive in time"});
  if (const auto refusal = refusal_of(failure, shared_.limits))
    return refuse(*refusal);
  close();
}

// Handling

void HttpSession::handle() {
  phase_ = Phase::kHandling;
  HttpRequest request = std::move(request_);
  request.body = std::move(parser_->get().body());
  request.address = address_;
  request.abandoned = std::make_shared<std::atomic<bool>>(false);
  const int64_t number = ++request_number_;
  limit_handling(request);
  watch_client(request, number);
  auto held = std::make_shared<Held>(shared_from_this());
  shared_.handler.handle(std::move(request), [held, number](HttpResponse response) {
    HttpSession& session = *held->session;
    asio::post(session.shared_.context, [held, number, response = std::move(response)]() mutable {
      held->session->reply(number, std::move(response));
    });
  });
}

void HttpSession::reply(int64_t number, HttpResponse response) {
  if (number == request_number_ && phase_ == Phase::kHandling)
    write(std::move(response));
}

void HttpSession::limit_handling(const HttpRequest& request) {
  deadline_.set(duration_of(shared_.limits.request_seconds),
                [self = shared_from_this(), path = request.path, abandoned = request.abandoned] {
                  if (self->phase_ != Phase::kHandling)
                    return;
                  *abandoned = true;
                  self->write(self->shared_.handler.refusal(
                      path, {504, "timeout", "the request was not answered in time"}));
                });
}

void HttpSession::watch_client(const HttpRequest& request, int64_t number) {
  socket_.async_wait(
      tcp::socket::wait_read,
      [self = shared_from_this(), number, path = request.path, abandoned = request.abandoned](
          error_code failure) {
        const bool is_current = number == self->request_number_ && self->phase_ == Phase::kHandling;
        if (failure || !is_current || !self->client_has_left())
          return;
        *abandoned = true;
        self->shared_.handler.client_left(path);
        self->report_exchange(kClientLeft);
        self->close();
      });
}

bool HttpSession::client_has_left() {
  char next = 0;
  error_code failure;
  socket_.receive(asio::buffer(&next, 1), tcp::socket::message_peek, failure);
  return static_cast<bool>(failure);
}

// Writing

void HttpSession::refuse(const HttpRefusal& refusal) {
  const std::string path = parser_ ? path_of(parser_->get().target()) : std::string();
  form_.keeps_alive = false;
  form_.is_head = parser_ && parser_->get().method() == http::verb::head;
  discards_rest_ = true;
  exchange_.path = path;
  if (!path.empty())
    exchange_.method = std::string(parser_->get().method_string());
  write(shared_.handler.refusal(path, refusal));
}

void HttpSession::write(HttpResponse response) {
  phase_ = Phase::kWriting;
  form_.keeps_alive = form_.keeps_alive && !shared_.stopping;
  exchange_.user = response.user;
  exchange_.bytes = form_.is_head ? 0 : response.body.size();
  response_ = response_message(std::move(response), form_);
  deadline_.set(duration_of(shared_.limits.write_seconds),
                [self = shared_from_this()] { self->close(); });
  http::async_write(socket_, *response_, [self = shared_from_this()](error_code failure, size_t) {
    self->written(failure);
  });
}

void HttpSession::written(error_code failure) {
  report_exchange(failure ? kClientLeft : static_cast<int>(response_->result_int()));
  if (failure)
    return close();
  if (discards_rest_)
    return drain();
  if (form_.keeps_alive && !shared_.stopping)
    return read_header();
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  close();
}

void HttpSession::report_exchange(int status) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin_;
  exchange_.address = address_;
  exchange_.version = form_.version;
  exchange_.status = status;
  exchange_.seconds = time.count();
  shared_.handler.finished(exchange_);
}

void HttpSession::drain() {
  phase_ = Phase::kDraining;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  limit_draining();
  discarded_.emplace(socket_).read([self = shared_from_this()] { self->close(); });
}

void HttpSession::limit_draining() {
  const std::chrono::nanoseconds time = shared_.stopping ? kStopDrainTime : kDrainTime;
  deadline_.set(time, [self = shared_from_this()] { self->close(); });
}

void serve_connection(tcp::socket socket, SharedBySessions& shared) {
  std::make_shared<HttpSession>(std::move(socket), shared)->start();
}

void refuse_connection(tcp::socket socket, SharedBySessions& shared) {
  std::make_shared<HttpSession>(std::move(socket), shared)->refuse_connection();
}

void stop_session(HttpSession& session) { session.stop(); }

}  // namespace phraseq
