#include "core/io/json_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr int kDeepest = 100;
constexpr size_t kMaxBytes = size_t{256} << 20;
constexpr const char* kHint = "The file is damaged, or another program wrote it.";

/// Nesting, found without parsing; brackets inside strings do not count.
int depth_of(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!quoted && (c == '}' || c == ']')) {
      --depth;
    }
  }
  return deepest;
}

/// A value as a message shows it: short, even if it is large.
std::string value_text(const json& value) {
  if (value.is_object() || value.is_array())
    return fmt::format(
        "{} of {} entries", value.is_object() ? "an object" : "a list", value.size());
  return excerpt(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

/// "line 3, column 7" of a byte, counted from 1, and the text that ends there.
std::string place_in(std::string_view text, size_t byte) {
  constexpr size_t kShown = 60;
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const size_t column = before.size() - (before.rfind('\n') + 1);
  const size_t shown = std::min({column, before.size(), kShown});
  return fmt::format(
      "line {}, column {}: '{}'", lines + 1, column, excerpt(before.substr(before.size() - shown)));
}

[[noreturn]] void refuse_text(std::string_view text, const std::string& where, size_t byte) {
  if (text.empty())
    throw FormatError(fmt::format("{}: not JSON: it is empty", where), kHint);
  throw FormatError(
      fmt::format("{}: not JSON: {}; error at {}", where, excerpt(text), place_in(text, byte)),
      kHint);
}

/// A document without repeated keys. Throws what json::parse throws, and FormatError.
json parse_unique(std::string_view text, const std::string& where) {
  RepeatedKeys keys;
  const auto refuse_repeated = [&](int, json::parse_event_t event, const json& parsed) {
    if (const auto path = keys.next(event, parsed))
      throw FormatError(fmt::format("{}: '{}' is given twice", where, excerpt(*path)), kHint);
    return true;
  };
  return json::parse(text, refuse_repeated);
}

}  // namespace

std::optional<std::string> RepeatedKeys::next(json::parse_event_t event, const json& parsed) {
  using Event = json::parse_event_t;
  if (event == Event::object_start || event == Event::array_start) {
    levels_.emplace_back();
    levels_.back().is_list = event == Event::array_start;
  } else if (event == Event::key) {
    Level& level = levels_.back();
    level.key = parsed.get<std::string>();
    if (!level.keys.insert(level.key).second)
      return path();
  } else {
    if (event != Event::value)
      levels_.pop_back();
    if (!levels_.empty())
      ++levels_.back().items;
  }
  return std::nullopt;
}

std::string RepeatedKeys::path() const {
  std::string text;
  for (const Level& level : levels_) {
    if (level.is_list) {
      text += fmt::format("[{}]", level.items);
    } else {
      text += (text.empty() ? "" : ".") + level.key;
    }
  }
  return text;
}

json parse_json(std::string_view text, const std::string& where) {
  if (text.size() > kMaxBytes) {
    throw FormatError(
        fmt::format("{}: {} bytes of JSON, at most {} are read", where, text.size(), kMaxBytes),
        kHint);
  }
  if (const int depth = depth_of(text); depth > kDeepest) {
    throw FormatError(
        fmt::format("{}: JSON that is nested {} deep, at most {} is read", where, depth, kDeepest),
        kHint);
  }
  if (const size_t end = text.find('\0'); end != text.npos)  // json::parse would stop there
    refuse_text(text, where, end);
  try {
    return parse_unique(text, where);
  } catch (const json::parse_error& problem) {
    refuse_text(text, where, problem.byte);
  } catch (const json::out_of_range&) {  // a number beyond double
    refuse_text(text, where, text.size());
  }
}

JsonEntry::JsonEntry(const json& document, std::string where)
    : value_(&document), where_(std::move(where)) {}

void JsonEntry::refuse(std::string_view expected) const {
  throw FormatError(fmt::format("{}: {}{}{}, expected {}",
                                where_,
                                path_,
                                path_.empty() ? "" : ": ",
                                value_text(*value_),
                                expected),
                    kHint);
}

const json& JsonEntry::object() const {
  if (!value_->is_object())
    refuse("an object");
  return *value_;
}

bool JsonEntry::has(const std::string& name) const { return object().contains(name); }

JsonEntry JsonEntry::at(const std::string& name) const {
  const auto found = object().find(name);
  if (found == value_->end()) {
    throw FormatError(
        fmt::format("{}: {}{}'{}' is missing", where_, path_, path_.empty() ? "" : ": ", name),
        kHint);
  }
  JsonEntry entry(*found, where_);
  entry.path_ = path_.empty() ? name : path_ + "." + name;
  return entry;
}

std::vector<std::pair<std::string, JsonEntry>> JsonEntry::members() const {
  std::vector<std::pair<std::string, JsonEntry>> found;
  for (const auto& [name, value] : object().items()) found.emplace_back(name, at(name));
  return found;
}

std::vector<JsonEntry> JsonEntry::items() const {
  if (!value_->is_array())
    refuse("a list");
  std::vector<JsonEntry> found;
  for (size_t i = 0; i < value_->size(); ++i) {
    found.emplace_back((*value_)[i], where_);
    found.back().path_ = fmt::format("{}[{}]", path_, i);
  }
  return found;
}

std::string JsonEntry::text() const {
  if (!value_->is_string())
    refuse("a text");
  return value_->get<std::string>();
}

std::vector<std::string> JsonEntry::texts() const {
  std::vector<std::string> found;
  for (const JsonEntry& item : items()) found.push_back(item.text());
  return found;
}

bool JsonEntry::truth() const {
  if (!value_->is_boolean())
    refuse("true or false");
  return value_->get<bool>();
}

double JsonEntry::number() const {
  if (!value_->is_number())
    refuse("a number");
  return value_->get<double>();
}

int64_t JsonEntry::whole_number(int64_t low, int64_t high) const {
  const bool fits = value_->is_number_unsigned() ? std::in_range<int64_t>(value_->get<uint64_t>())
                                                 : value_->is_number_integer();
  if (!fits || value_->get<int64_t>() < low || value_->get<int64_t>() > high) {
    refuse(low == std::numeric_limits<int64_t>::min()
               ? std::string("a whole number")
               : fmt::format("a whole number, {} to {}", low, high));
  }
  return value_->get<int64_t>();
}

}  // namespace phraseq
