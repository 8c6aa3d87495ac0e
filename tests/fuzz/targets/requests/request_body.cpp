// The body of a request to phraseq serve: as JSON and as a form, and every field as each type.

#include "core/serve/request_json.h"
#include "core/serve/service_error.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using namespace phraseq;

constexpr size_t kLongestMessage = 4096;

/// A request is rejected with a ServiceError.
template <class Parse>
void check_request(const Parse& parse) {
  try {
    parse();
  } catch (const ServiceError& rejected) {
    if (rejected.status() != 400)
      throw std::logic_error("a bad request is answered with another status than 400");
    if (std::string_view(rejected.what()).size() > kLongestMessage)
      throw std::logic_error("a message repeats more of its input than a person reads");
  }
}

void read_fields(const nlohmann::json& object) {
  for (const auto& [name, value] : object.items()) {
    const std::string& field = name;
    check_request([&] { string_field(object, field, ""); });
    check_request([&] { bool_field(object, field, false); });
    check_request([&] { integer_field(object, field, 0); });
    check_request([&] { strings_field(object, field); });
  }
  check_request([&] { reject_unknown_fields(object, {"text", "nbest"}); });
}

}  // namespace

PHRASEQ_FUZZ_TARGET(request_body) {
  const std::string body(fuzz::text_of(data, size));
  check_request([&] { read_fields(parse_body(body)); });
  check_request([&] { read_fields(parse_form(body)); });
  return 0;
}
