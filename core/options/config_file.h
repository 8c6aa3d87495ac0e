#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phraseq {

/// One `name = value` of a configuration file.
struct ConfigEntry {
  int64_t line = 0;
  std::string name;
  std::string value;
};

/// Reads an INI file: `name = value` lines, `[section]` lines (ignored), comments from '#' or ';'
/// at the start of a line and from a '#' after a space; a byte-order mark at its start is ignored.
/// A value in double quotes is taken literally, except that \" \\ \n are unescaped. A pipe, which
/// can be read only once, returns the same entries every time. Throws IoError if the file cannot be
/// read; any other line is added to `problems`.
///
/// Boost's own reader is not used: it cuts values at every '#' and its errors do not name the line.
std::vector<ConfigEntry> read_config_file(const std::string& path,
                                          std::vector<std::string>& problems);

/// The value in a form that `read_config_file` reads back, quoted if necessary.
std::string config_value(std::string_view text);

}  // namespace phraseq
