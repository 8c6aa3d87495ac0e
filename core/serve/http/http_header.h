#pragma once

#include <optional>
#include <string>

#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>

#include "core/serve/http/http_message.h"

namespace phraseq {

using HttpHeader = boost::beast::http::request_header<>;

/// The path of a target, without the query and without "http://host" (RFC 9112, section 3.2.2).
std::string path_of(boost::beast::string_view target);

/// Why the body of a request with this header is not read; nothing if it can be.
std::optional<HttpRefusal> refusal_of(const HttpHeader& header);

/// False if another request on the same connection could not be told from the body of this one:
/// HTTP/1.0 has no codings (RFC 9112, section 6.1).
bool has_known_end(const HttpHeader& header);

/// Whether the client may wait for 100 Continue before it sends the body.
bool waits_for_invitation(const HttpHeader& header);

/// The request without its body.
HttpRequest request_of(const HttpHeader& header);

}  // namespace phraseq
