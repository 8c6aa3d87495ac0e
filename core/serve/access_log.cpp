#include "core/serve/access_log.h"

#include <cerrno>
#include <unistd.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"

namespace phraseq {
namespace {

/// Escapes a word of a line; "-" if it is empty.
std::string word(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = c > ' ' && c < '\x7f' && c != '"' && c != '\\';
    result +=
        is_plain ? std::string(1, c) : fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  }
  return result.empty() ? "-" : result;
}

}  // namespace

std::string access_line(const HttpExchange& exchange, std::time_t time) {
  return fmt::format("{} - {} [{:%d/%b/%Y:%H:%M:%S +0000}] \"{} {} HTTP/{}.{}\" {} {} {:.3f}\n",
                     word(exchange.address),
                     word(exchange.user),
                     fmt::gmtime(time),
                     word(exchange.method),
                     word(exchange.path),
                     exchange.version / 10,
                     exchange.version % 10,
                     exchange.status,
                     exchange.bytes,
                     exchange.seconds);
}

AccessLog::AccessLog(std::string path) : path_(std::move(path)), file_(open()) {}

AccessLog::File AccessLog::open() const {
  if (path_.empty())
    return nullptr;
  File file(path_ == "-" ? ::fdopen(::dup(STDOUT_FILENO), "w") : std::fopen(path_.c_str(), "ae"));
  if (file == nullptr)
    throw IoError(path_, "open for appending", errno);
  return file;
}

void AccessLog::write(const HttpExchange& exchange) {
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr)
    return;
  const bool is_written =
      std::fputs(access_line(exchange, std::time(nullptr)).c_str(), file_.get()) >= 0 &&
      std::fflush(file_.get()) == 0;
  if (!is_written && !has_failed_)
    log_error(IoError(path_, "write to the access log", errno).what());
  has_failed_ = !is_written;
}

void AccessLog::reopen() {
  File file = open();
  const std::lock_guard lock(mutex_);
  file_ = std::move(file);
}

}  // namespace phraseq
