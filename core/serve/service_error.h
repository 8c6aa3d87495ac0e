#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "core/base/wording/message_text.h"
#include "core/serve/http/http_message.h"

namespace phraseq {

/// A request that is answered with an error: status, a code for programs, a message for people.
class ServiceError : public std::runtime_error {
 public:
  ServiceError(int status, std::string code, const std::string& message, std::string field = {})
      : std::runtime_error(shortened_message(message)),  // what() would end at a NUL
        status_(status),
        code_(std::move(code)),
        field_(std::move(field)) {}
  int status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::string& field() const { return field_; }

 private:
  int status_;
  std::string code_;
  std::string field_;
};

/// The error for a wrong field of a request.
inline ServiceError bad_request(const std::string& field, const std::string& problem) {
  return {400, "bad_request", field + ": " + problem, field};
}

/// Converts an exception that was thrown while a request was answered to a ServiceError; for a bug,
/// its status is 500.
ServiceError service_error_of(std::exception_ptr failure);

/// The response {"error": {"code": …, "message": …, "field": …}}, or {"error": MESSAGE} on
/// LibreTranslate's paths.
HttpResponse error_response(const std::string& path, const ServiceError& error);

/// Whether a path belongs to LibreTranslate's interface.
bool is_libre_path(const std::string& path);

}  // namespace phraseq
