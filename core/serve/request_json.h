#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace phraseq {

/// The body of a request as a JSON object. Throws a ServiceError 400 with the place if it is not
/// one.
nlohmann::json parse_body(const std::string& body);

/// Reads a field of such an object; each function throws a ServiceError 400 that names the field if
/// its type is wrong. `otherwise`: the value if the field is missing or null.
std::string string_field(const nlohmann::json& object,
                         const std::string& name,
                         const std::string& otherwise);
bool bool_field(const nlohmann::json& object, const std::string& name, bool otherwise);
int64_t integer_field(const nlohmann::json& object, const std::string& name, int64_t otherwise);

/// A string, or a list of strings.
struct StringOrList {
  std::vector<std::string> items;
  bool is_list = false;
};
/// Returns an empty value that is not a list if the field is missing.
StringOrList strings_field(const nlohmann::json& object, const std::string& name);

/// Throws a ServiceError 400 for the first field that is not one of these.
void reject_unknown_fields(const nlohmann::json& object, const std::vector<std::string>& known);

/// The fields of an HTML form (application/x-www-form-urlencoded) as an object of strings; a
/// repeated name has a list.
nlohmann::json parse_form(const std::string& body);

}  // namespace phraseq
