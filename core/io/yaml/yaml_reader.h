#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Parses the YAML that other toolkits write for options and vocabularies: mappings and sequences
/// in block style, both in flow style on one line, plain and quoted scalars, comments. A document
/// that begins with `{` is read as JSON. Keys are texts; plain values are resolved according to
/// YAML 1.2's core schema (null, true, 12, 1.5e-3, text).
///
/// Throws a FormatError that begins with `where` and the line for anything else (anchors, aliases,
/// tags, block scalars, explicit keys, several documents), a repeated key, more than 256 MiB, and
/// nesting deeper than 100.
PHRASEQ_API nlohmann::json parse_yaml(std::string_view text, const std::string& where);

/// A text as a double-quoted scalar, which is also valid JSON.
PHRASEQ_API std::string quoted_yaml(std::string_view text);

}  // namespace phraseq
