#include "core/serve/http/response_message.h"

#include <ctime>
#include <string>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace phraseq {
namespace {

namespace http = boost::beast::http;

/// A date in the format of RFC 9110, section 5.6.7.
std::string http_date(std::time_t time) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(time));
}

}  // namespace

http::response<http::string_body> response_message(HttpResponse response,
                                                   const ResponseForm& form) {
  http::response<http::string_body> message(static_cast<http::status>(response.status),
                                            form.version);
  message.set(http::field::date, http_date(std::time(nullptr)));
  message.set(http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(form.keeps_alive);
  message.content_length(response.body.size());
  if (!form.is_head)
    message.body() = std::move(response.body);
  return message;
}

}  // namespace phraseq
