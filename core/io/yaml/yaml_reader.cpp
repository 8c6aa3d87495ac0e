#include "core/io/yaml/yaml_reader.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/io/json_reader.h"
#include "core/io/utf8.h"
#include "core/io/yaml/yaml_scalar.h"

namespace phraseq {
namespace {

using nlohmann::json;

constexpr size_t kMaxYamlBytes = size_t{256} << 20;
constexpr int kDeepestYaml = 100;

/// A line without its indentation.
struct YamlLine {
  size_t number = 0;
  size_t indent = 0;
  std::string_view text;
};

/// A key and what follows its colon.
using KeyAndRest = std::pair<std::string, std::string_view>;

bool ends_key(std::string_view text, size_t colon) {
  return text[colon] == ':' &&
         (colon + 1 == text.size() || text[colon + 1] == ' ' || text[colon + 1] == '\t');
}

bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& where) : where_(where) {
    size_t number = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      add_line(++number, text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  json read() {
    if (lines_.empty())
      return nullptr;
    json value = block(lines_.front().indent, 0);
    if (next_ < lines_.size())
      fail("the line does not fit the lines before it");
    return value;
  }

 private:
  void add_line(size_t number, std::string_view text) {
    if (text.ends_with('\r'))
      text.remove_suffix(1);
    const size_t indent = text.find_first_not_of(' ');
    if (indent == std::string_view::npos)
      return;
    text.remove_prefix(indent);
    const bool is_mark = indent == 0 && lines_.empty() && text.starts_with("---");
    if (text.starts_with('#') || (is_mark && trimmed_yaml(text.substr(3)).empty()))
      return;
    lines_.push_back({number, indent, text});
  }

  [[noreturn]] void fail(std::string_view problem) const {
    const size_t number = next_ < lines_.size() ? lines_[next_].number : lines_.back().number;
    throw FormatError(fmt::format("{}:{}: {}", where_, number, problem));
  }

  /// Runs what reads a part of the current line.
  template <class Read>
  auto at_line(const Read& read) const {
    try {
      return read();
    } catch (const YamlProblem& problem) {
      fail(problem.message);
    }
  }

  const YamlLine& line() const { return lines_[next_]; }
  bool is_at(size_t indent) const { return next_ < lines_.size() && line().indent == indent; }

  json block(size_t indent, int depth) {
    if (depth > kDeepestYaml)
      fail(fmt::format("nested deeper than {}", kDeepestYaml));
    if (is_item(line().text))
      return sequence(indent, depth);
    if (split_key(line().text))
      return mapping(indent, depth);
    json value = scalar(line().text, depth);
    ++next_;
    return value;
  }

  json mapping(size_t indent, int depth) {
    json members = json::object();
    while (is_at(indent)) {
      auto key = split_key(line().text);
      if (!key)
        fail(fmt::format("'{}' is not 'key: value'", excerpt(line().text)));
      if (members.contains(key->first))
        fail(fmt::format("the key '{}' occurs twice", excerpt(key->first)));
      json value = value_behind(key->second, indent, depth, /*items_at_indent=*/true);
      members[std::move(key->first)] = std::move(value);
    }
    check_indentation(indent);
    return members;
  }

  json sequence(size_t indent, int depth) {
    json items = json::array();
    while (is_at(indent) && is_item(line().text)) {
      const std::string_view rest = line().text.substr(1);
      const size_t offset = std::min(rest.find_first_not_of(' '), rest.size()) + 1;
      const std::string_view inner = line().text.substr(offset);
      if (!inner.empty() && (is_item(inner) || split_key(inner))) {
        lines_[next_].indent += offset;
        lines_[next_].text = inner;
        items.push_back(block(lines_[next_].indent, depth + 1));
      } else {
        items.push_back(value_behind(inner, indent, depth, /*items_at_indent=*/false));
      }
    }
    check_indentation(indent);
    return items;
  }

  void check_indentation(size_t indent) const {
    if (next_ < lines_.size() && line().indent > indent)
      fail("the line is indented more deeply than expected");
  }

  /// The value after a key or a dash: on the same line, or indented below it.
  json value_behind(std::string_view rest, size_t indent, int depth, bool items_at_indent) {
    if (trimmed_yaml(rest.substr(0, end_before_comment(rest, 0))).empty()) {
      ++next_;
      const bool deeper = next_ < lines_.size() && line().indent > indent;
      const bool list = items_at_indent && is_at(indent) && is_item(line().text);
      return deeper || list ? block(line().indent, depth + 1) : json();
    }
    json value = scalar(rest, depth);
    ++next_;
    return value;
  }

  /// "key: rest"; nothing for other text.
  std::optional<KeyAndRest> split_key(std::string_view text) const {
    if (text.starts_with('[') || text.starts_with('{'))
      return std::nullopt;
    if (text.starts_with("? ") || text == "?")
      fail("an explicit key ('? '), which is not supported");
    if (text.starts_with('"') || text.starts_with('\''))
      return split_quoted_key(text);
    const size_t end = end_before_comment(text, 0);
    for (size_t colon = 0; colon < end; ++colon) {
      if (ends_key(text, colon))
        return KeyAndRest(plain_key(text.substr(0, colon)), text.substr(colon + 1));
    }
    return std::nullopt;
  }

  std::string plain_key(std::string_view text) const {
    const std::string_view key = trimmed_yaml(text);
    if (key.starts_with('&') || key.starts_with('*') || key.starts_with('!'))
      at_line([&] { return resolve_plain_yaml(key); });
    return std::string(key);
  }

  std::optional<KeyAndRest> split_quoted_key(std::string_view text) const {
    size_t position = 0;
    std::string key = at_line([&] { return read_quoted_yaml(text, position); });
    position = std::min(text.find_first_not_of(" \t", position), text.size());
    if (position == text.size() || !ends_key(text, position))
      return std::nullopt;
    return KeyAndRest(std::move(key), text.substr(position + 1));
  }

  /// A value on one line, followed by nothing but a comment.
  json scalar(std::string_view text, int depth) const {
    return at_line([&] {
      size_t position = std::min(text.find_first_not_of(" \t"), text.size());
      const char first = position < text.size() ? text[position] : ' ';
      if (std::string_view("\"'[{").find(first) == std::string_view::npos)
        return resolve_plain_yaml(trimmed_yaml(text.substr(0, end_before_comment(text, 0))));
      json value = flow(text, position, depth);
      const size_t end = end_before_comment(text, position);
      if (!trimmed_yaml(text.substr(position, end - position)).empty())
        throw YamlProblem{fmt::format("'{}' after a value", excerpt(text.substr(position)))};
      return value;
    });
  }

  // Flow style: [a, b], {a: b}.

  static void skip_spaces(std::string_view text, size_t& position) {
    position = std::min(text.find_first_not_of(" \t", position), text.size());
  }

  static char peek(std::string_view text, size_t position) {
    if (position >= text.size())
      throw YamlProblem{"a list or mapping in brackets that does not end on its line"};
    return text[position];
  }

  json flow(std::string_view text, size_t& position, int depth) const {
    if (depth > kDeepestYaml)
      throw YamlProblem{fmt::format("nested deeper than {}", kDeepestYaml)};
    skip_spaces(text, position);
    switch (peek(text, position)) {
      case '[':
        return flow_sequence(text, position, depth);
      case '{':
        return flow_mapping(text, position, depth);
      case '"':
      case '\'':
        return read_quoted_yaml(text, position);
      default:
        return resolve_plain_yaml(flow_plain(text, position));
    }
  }

  static std::string_view flow_plain(std::string_view text, size_t& position) {
    const size_t begin = position;
    while (position < text.size() &&
           std::string_view(",[]{}").find(text[position]) == std::string_view::npos &&
           !ends_key(text, position))
      ++position;
    return trimmed_yaml(text.substr(begin, position - begin));
  }

  /// Moves past a comma, or past the closing bracket, which a comma may precede, and returns true.
  static bool at_end(std::string_view text, size_t& position, char bracket) {
    skip_spaces(text, position);
    const char next = peek(text, position);
    if (next != ',' && next != bracket)
      throw YamlProblem{fmt::format(
          "'{}' found where ',' or '{}' is expected", excerpt(text.substr(position)), bracket)};
    skip_spaces(text, ++position);
    if (next == bracket)
      return true;
    if (peek(text, position) != bracket)
      return false;
    ++position;
    return true;
  }

  json flow_sequence(std::string_view text, size_t& position, int depth) const {
    json items = json::array();
    skip_spaces(text, ++position);
    if (peek(text, position) == ']')
      return ++position, items;
    do {
      items.push_back(flow(text, position, depth + 1));
    } while (!at_end(text, position, ']'));
    return items;
  }

  json flow_mapping(std::string_view text, size_t& position, int depth) const {
    json members = json::object();
    skip_spaces(text, ++position);
    if (peek(text, position) == '}')
      return ++position, members;
    do {
      skip_spaces(text, position);
      const char first = peek(text, position);
      const std::string key = first == '"' || first == '\''
                                  ? read_quoted_yaml(text, position)
                                  : std::string(flow_plain(text, position));
      skip_spaces(text, position);
      if (peek(text, position) != ':')
        throw YamlProblem{fmt::format("the key '{}' without a value", excerpt(key))};
      if (members.contains(key))
        throw YamlProblem{fmt::format("the key '{}' twice", excerpt(key))};
      members[key] = flow(text, ++position, depth + 1);
    } while (!at_end(text, position, '}'));
    return members;
  }

  const std::string& where_;
  std::vector<YamlLine> lines_;
  size_t next_ = 0;
};

}  // namespace

json parse_yaml(std::string_view text, const std::string& where) {
  text = without_byte_order_mark(text);
  if (text.size() > kMaxYamlBytes)
    throw FormatError(
        fmt::format("{}: {} bytes; at most {} are read", where, text.size(), kMaxYamlBytes));
  if (find_text_fault(text, ControlBytes::kAllow))
    throw FormatError(fmt::format("{}: the text is not UTF-8", where));
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{')
    return parse_json(text, where);
  return YamlReader(text, where).read();
}

std::string quoted_yaml(std::string_view text) { return json(std::string(text)).dump(); }

}  // namespace phraseq
