#pragma once

#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include "core/serve/http/http_message.h"

namespace phraseq {

/// The line of `exchange` in the access log: the Common Log Format of web servers, followed by the
/// seconds that the answer took. `time`: its end, in seconds since 1970. What is not printable
/// ASCII in a request is written as \xHH.
std::string access_line(const HttpExchange& exchange, std::time_t time);

/// A file to which the line of each answered request is appended.
class AccessLog {
 public:
  /// "" = nothing is written, "-" = to standard output. Throws IoError.
  explicit AccessLog(std::string path);

  /// A failure is reported once and does not end the server.
  void write(const HttpExchange& exchange);
  /// Opens the file again, which may have been renamed since (logrotate). Throws IoError; the
  /// earlier file then stays in use.
  void reopen();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  File open() const;

  std::string path_;
  std::mutex mutex_;
  File file_;
  bool has_failed_ = false;
};

}  // namespace phraseq
