#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace phraseq {

/// What is wrong with a scalar; the reader adds the place.
struct YamlProblem {
  std::string message;
};

/// The quoted scalar that begins at `position`, which is moved past its closing quote. Throws
/// YamlProblem.
std::string read_quoted_yaml(std::string_view text, size_t& position);

/// A plain scalar as null, truth value, number or text (YAML 1.2, section 10.3.2). Throws
/// YamlProblem for one that begins with an indicator.
nlohmann::json resolve_plain_yaml(std::string_view text);

/// Where a comment begins, at or after `from`: a '#' at the beginning of the text or after
/// whitespace; the end of the text if there is none.
size_t end_before_comment(std::string_view text, size_t from);

/// The text without surrounding spaces and tabs.
std::string_view trimmed_yaml(std::string_view text);

}  // namespace phraseq
