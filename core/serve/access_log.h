#pragma once

#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>

#include "core/serve/http/http_message.h"

namespace phraseq {

/// The line of `exchange` in the access log: the Common Log Format of web servers, followed by the
/// seconds from the beginning of the request to the end of the answer. `time`: this end, in seconds
/// since 1970. Bytes of a request that are not printable ASCII are written as \xHH.
std::string access_line(const HttpExchange& exchange, std::time_t time);

/// A file to which the line of each answered request is appended. Thread-safe.
class AccessLog {
 public:
  /// "" = no log, "-" = standard output. Throws IoError.
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
