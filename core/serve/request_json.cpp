#include "core/serve/request_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/json_reader.h"
#include "core/io/utf8.h"
#include "core/serve/service_error.h"

namespace phraseq {
namespace {

constexpr int kMaxDepth = 16;

ServiceError bad_body(const std::string& problem) { return {400, "bad_json", problem}; }

/// `byte` counts from 1.
ServiceError error_at_byte(size_t byte) {
  return bad_body(fmt::format("the body is not valid JSON: error at byte {}", byte));
}

void require_utf8(const std::string& body) {
  if (const auto fault = find_text_fault(body, ControlBytes::kAllow)) {
    throw ServiceError(
        400,
        "invalid_utf8",
        fmt::format(
            "the body is not valid UTF-8: {} at byte {}", to_string(fault->defect), fault->offset));
  }
}

/// The field's value, or a null pointer if it is missing or null.
const nlohmann::json* value_of(const nlohmann::json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Decodes a form's text: + is a space, %41 is A.
std::string decoded(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && digit_of(text[i + 1]) >= 0 &&
                        digit_of(text[i + 2]) >= 0;
    if (escape) {
      plain += static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
      i += 2;
    } else {
      plain += text[i] == '+' ? ' ' : text[i];
    }
  }
  return plain;
}

void add_form_field(nlohmann::json& object, const std::string& name, const std::string& value) {
  const auto found = object.find(name);
  if (found == object.end()) {
    object[name] = value;
  } else if (found->is_array()) {
    found->push_back(value);
  } else {
    *found = {*found, value};
  }
}

}  // namespace

nlohmann::json parse_body(const std::string& body) {
  require_utf8(body);
  RepeatedKeys keys;
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (depth > kMaxDepth)
      throw bad_body("the body is nested too deeply");
    if (const auto path = keys.next(event, parsed))
      throw bad_request(*path, "expected one value, not several");
    return true;
  };
  if (const size_t end = body.find('\0'); end != body.npos)  // json::parse would stop there
    throw error_at_byte(end + 1);
  nlohmann::json object;
  try {
    object = nlohmann::json::parse(body, check);
  } catch (const nlohmann::json::parse_error& failure) {
    throw error_at_byte(failure.byte);
  } catch (const nlohmann::json::exception&) {
    throw bad_body("the body is not valid JSON: a number is out of range");
  }
  if (!object.is_object())
    throw bad_body("the body is not a JSON object");
  return object;
}

std::string string_field(const nlohmann::json& object,
                         const std::string& name,
                         const std::string& otherwise) {
  const auto* value = value_of(object, name);
  if (value == nullptr)
    return otherwise;
  if (!value->is_string())
    throw bad_request(name, "expected a string");
  return value->get<std::string>();
}

bool bool_field(const nlohmann::json& object, const std::string& name, bool otherwise) {
  const auto* value = value_of(object, name);
  if (value == nullptr)
    return otherwise;
  if (!value->is_boolean())
    throw bad_request(name, "expected true or false");
  return value->get<bool>();
}

int64_t integer_field(const nlohmann::json& object, const std::string& name, int64_t otherwise) {
  const auto* value = value_of(object, name);
  if (value == nullptr)
    return otherwise;
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<uint64_t>() <= INT64_MAX);
  if (!fits)
    throw bad_request(name, "expected an integer");
  return value->get<int64_t>();
}

StringOrList strings_field(const nlohmann::json& object, const std::string& name) {
  const auto* value = value_of(object, name);
  if (value == nullptr)
    return {};
  if (value->is_string())
    return {{value->get<std::string>()}, false};
  if (!value->is_array())
    throw bad_request(name, "expected a string or a list of strings");
  StringOrList strings{{}, true};
  for (const auto& item : *value) {
    if (!item.is_string())
      throw bad_request(fmt::format("{}[{}]", name, strings.items.size()), "expected a string");
    strings.items.push_back(item.get<std::string>());
  }
  return strings;
}

void reject_unknown_fields(const nlohmann::json& object, const std::vector<std::string>& known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw ServiceError(
          400,
          "bad_request",
          fmt::format("{}: there is no such field; known: {}", name, fmt::join(known, ", ")),
          name);
    }
  }
}

nlohmann::json parse_form(const std::string& body) {
  nlohmann::json object = nlohmann::json::object();
  for (size_t begin = 0; begin < body.size();) {
    const size_t end = std::min(body.find('&', begin), body.size());
    const std::string_view pair = std::string_view(body).substr(begin, end - begin);
    const size_t sign = std::min(pair.find('='), pair.size());
    const std::string name = decoded(pair.substr(0, sign));
    const std::string value = decoded(pair.substr(std::min(sign + 1, pair.size())));
    require_utf8(name);
    require_utf8(value);
    if (!name.empty())
      add_form_field(object, name, value);
    begin = end + 1;
  }
  return object;
}

}  // namespace phraseq
