#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Finds a key that occurs twice in an object; json::parse would use the last one. The callback of
/// json::parse passes on all events.
class PHRASEQ_API RepeatedKeys {
 public:
  /// Returns the path of a key, such as "a.b[1].c", if its object already has this key.
  std::optional<std::string> next(nlohmann::json::parse_event_t event,
                                  const nlohmann::json& parsed);

 private:
  /// An object or a list that has begun.
  struct Level {
    bool is_list = false;
    size_t items = 0;            ///< so far
    std::set<std::string> keys;  ///< of an object, so far
    std::string key;             ///< the last one
  };
  std::string path() const;

  std::vector<Level> levels_;
};

/// Parses JSON that may come from elsewhere: at most 256 MiB, and nested at most 100 deep, because
/// documents are copied and printed recursively; no object may have a key twice. Throws a
/// FormatError that begins with `where`.
PHRASEQ_API nlohmann::json parse_json(std::string_view text, const std::string& where);

/// A value of a parsed document and its place in it. Every function that reads it checks the type
/// and throws a FormatError with the place: "FILE: the metadata entry 'train': state.updates: null,
/// expected a whole number".
class PHRASEQ_API JsonEntry {
 public:
  /// The document itself, which must outlive the entry.
  JsonEntry(const nlohmann::json& document, std::string where);

  const nlohmann::json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  /// Whether this object has a member of that name.
  bool has(const std::string& name) const;
  /// A member of this object; `at` throws if it is missing.
  JsonEntry at(const std::string& name) const;
  /// The members of this object, by name.
  std::vector<std::pair<std::string, JsonEntry>> members() const;
  /// The items of this list.
  std::vector<JsonEntry> items() const;

  const nlohmann::json& object() const;
  std::string text() const;
  std::vector<std::string> texts() const;
  bool truth() const;
  double number() const;
  int64_t whole_number(int64_t low = std::numeric_limits<int64_t>::min(),
                       int64_t high = std::numeric_limits<int64_t>::max()) const;

  /// Throws an error that says the value is not what was `expected`.
  [[noreturn]] void refuse(std::string_view expected) const;

 private:
  const nlohmann::json* value_;
  std::string where_;
  std::string path_;
};

}  // namespace phraseq
