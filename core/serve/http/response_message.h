#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "core/serve/http/http_message.h"

namespace phraseq {

/// What a response has to follow of its request and connection.
struct ResponseForm {
  unsigned version = 11;
  bool keeps_alive = false;
  bool is_head = false;  ///< the body is left out, but not its length
};

/// The message that is sent for a response.
boost::beast::http::response<boost::beast::http::string_body> response_message(
    HttpResponse response, const ResponseForm& form);

}  // namespace phraseq
