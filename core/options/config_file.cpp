#include "core/options/config_file.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/base/wording/message_text.h"
#include "core/io/mapping/mapped_file.h"
#include "core/io/utf8.h"

namespace phraseq {
namespace {

/// The text of a configuration file. The text of a pipe is kept, because a command reads its
/// configuration several times, but a pipe can be read only once.
std::string config_text(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> of_pipes;
  std::error_code unknown;
  if (std::filesystem::is_regular_file(path, unknown))
    return read_file(path);
  const std::lock_guard lock(mutex);
  const auto known = of_pipes.find(path);
  return known != of_pipes.end() ? known->second
                                 : of_pipes.emplace(path, read_file(path)).first->second;
}

/// The text without the comment that a '#' after a space begins.
std::string_view without_comment(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool after_space = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t';
    if (text[i] == '#' && after_space)
      return trimmed(text.substr(0, i));
  }
  return trimmed(text);
}

/// The content of a value in quotes; nothing if the closing quote is missing or followed by more
/// text.
std::optional<std::string> unquoted(std::string_view text) {
  std::string result;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (!without_comment(text.substr(i + 1)).empty())
        return std::nullopt;
      return result;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      result += text[i] == 'n' ? '\n' : text[i];
    } else {
      result += text[i];
    }
  }
  return std::nullopt;
}

std::optional<ConfigEntry> parse_entry(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos)
    return std::nullopt;
  const std::string_view name = trimmed(line.substr(0, equals));
  const std::string_view value = trimmed(line.substr(equals + 1));
  if (name.empty())
    return std::nullopt;
  if (!value.starts_with('"')) {
    return ConfigEntry{0, std::string(name), std::string(without_comment(value))};
  }
  auto content = unquoted(value);
  if (!content)
    return std::nullopt;
  return ConfigEntry{0, std::string(name), std::move(*content)};
}

/// Whether the line looks like YAML: "name: value", "name:", "- item" or "---".
bool is_yaml(std::string_view line) {
  if (line == "---" || line.starts_with("- "))
    return true;
  const size_t colon = line.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         line.substr(0, colon).find_first_of(" \t=") == std::string_view::npos &&
         (colon + 1 == line.size() || line[colon + 1] == ' ');
}

/// Whether the line has no entry: it is empty, a comment, or the title of a section.
bool is_without_entry(std::string_view line) {
  if (line.empty() || line[0] == '#' || line[0] == ';')
    return true;
  return line.starts_with('[') && without_comment(line).ends_with(']');
}

std::string yaml_problem(const std::string& path, int64_t number, std::string_view line) {
  return fmt::format(
      "{}:{}: '{}' is YAML; --config reads lines 'name = value'. phraseq train "
      "reads the YAML files of fairseq-hydra-train with --config-dir and "
      "--config-name",
      path,
      number,
      excerpt(line));
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::string& path,
                                          std::vector<std::string>& problems) {
  const std::string whole = config_text(path);
  const std::string_view text = without_byte_order_mark(whole);
  std::vector<ConfigEntry> entries;
  size_t begin = 0;
  for (int64_t number = 1; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (is_without_entry(line))
      continue;
    if (auto entry = parse_entry(line)) {
      entry->line = number;
      entries.push_back(std::move(*entry));
    } else if (is_yaml(line)) {  // one problem for the whole file
      problems.push_back(yaml_problem(path, number, line));
      return {};
    } else {
      problems.push_back(
          fmt::format("{}:{}: '{}' is not 'name = value'", path, number, excerpt(line)));
    }
  }
  return entries;
}

std::string config_value(std::string_view text) {
  const bool plain = !text.empty() && trimmed(text) == text && text[0] != '"' &&
                     text.find_first_of("#\n") == std::string_view::npos;
  if (plain)
    return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + '"';
}

}  // namespace phraseq
