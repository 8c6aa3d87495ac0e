#include "core/serve/http/http_header.h"

#include "core/base/text_fields.h"

namespace phraseq {
namespace {

namespace http = boost::beast::http;

std::string lower_case(boost::beast::string_view text) {
  return to_ascii_lowercase({text.data(), text.size()});
}

/// RFC 9112, section 3.2: a request of HTTP/1.1 names the host once.
bool names_host(const HttpHeader& header) {
  const auto count = header.count(http::field::host);
  return count == 1 || (count == 0 && header.version() < 11);
}

/// RFC 9112, section 6.1: the end of a body with another coding is unknown, so the next request
/// could not be told from it.
bool has_known_coding(const HttpHeader& header) {
  const auto count = header.count(http::field::transfer_encoding);
  return count == 0 ||
         (count == 1 && lower_case(header[http::field::transfer_encoding]) == "chunked");
}

}  // namespace

std::string path_of(boost::beast::string_view target) {
  std::string path(target.substr(0, target.find('?')));
  const size_t scheme = path.find("://");
  if (path.starts_with('/') || scheme == std::string::npos)
    return path;
  const size_t begin = path.find('/', scheme + 3);
  return begin == std::string::npos ? "/" : path.substr(begin);
}

std::optional<HttpRefusal> refusal_of(const HttpHeader& header) {
  if (!names_host(header))
    return HttpRefusal{400, "bad_request", "HTTP/1.1 needs the header Host once"};
  if (!has_known_coding(header)) {
    return HttpRefusal{
        501, "not_implemented", "Transfer-Encoding: only 'chunked' is supported in requests"};
  }
  return std::nullopt;
}

bool has_known_end(const HttpHeader& header) {
  return header.version() >= 11 || header.count(http::field::transfer_encoding) == 0;
}

bool waits_for_invitation(const HttpHeader& header) {
  return header.version() >= 11 && lower_case(header[http::field::expect]) == "100-continue";
}

HttpRequest request_of(const HttpHeader& header) {
  HttpRequest request;
  request.method = std::string(header.method_string());
  request.path = path_of(header.target());
  for (const auto& field : header)
    request.headers[lower_case(field.name_string())] = std::string(field.value());
  return request;
}

}  // namespace phraseq
