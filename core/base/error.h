#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// What a command returns to the shell: one code for each kind of remedy.
enum ExitCode : int {
  kExitOk = 0,
  kExitBug = 1,
  kExitUsage = 2,
  kExitData = 3,
  kExitFormat = 4,
  kExitPlugin = 5,
  kExitIo = 6,
  kExitDivergence = 7,
};

/// The root of everything that phraseq throws on purpose.
///
/// `what()` is the whole message: where, what, and what was expected; then, indented on a separate
/// line, a hint about what the user can do. Either part may be empty. The message is a fragment
/// without a period, because it follows "phraseq train: error: " or a path. The hint consists of
/// sentences; it may begin with an option, a command or a quotation.
class PHRASEQ_API Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, std::string_view message, std::string_view hint = {});
  ExitCode exit_code() const { return exit_code_; }
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  ExitCode exit_code_;
  std::string message_;
  std::string hint_;
};

/// The command line or a configuration file asks for something that does not exist or fit.
class PHRASEQ_API UsageError : public Error {
 public:
  explicit UsageError(std::string_view message, std::string_view hint = {})
      : Error(kExitUsage, message, hint) {}
};

/// A place in a text file: line and column are counted from 1, the column in bytes; 0 = unknown.
struct TextPlace {
  std::string file;
  int64_t line = 0;
  int64_t column = 0;
};

/// "file:line:column", leaving out what is unknown.
PHRASEQ_API std::string to_string(const TextPlace& place);

/// Text from the user is invalid.
class PHRASEQ_API DataError : public Error {
 public:
  explicit DataError(std::string_view message, std::string_view hint = {})
      : Error(kExitData, message, hint) {}
  DataError(const TextPlace& place, std::string_view message, std::string_view hint = {});
};

/// A binary file is damaged, truncated, of the wrong kind, or of a newer version.
class PHRASEQ_API FormatError : public Error {
 public:
  explicit FormatError(std::string_view message, std::string_view hint = {})
      : Error(kExitFormat, message, hint) {}
};

/// A plugin is missing, rejected, or failed.
class PHRASEQ_API PluginError : public Error {
 public:
  explicit PluginError(std::string_view message, std::string_view hint = {})
      : Error(kExitPlugin, message, hint) {}
};

/// The operating system reported an error. The message carries the path and the reason.
class PHRASEQ_API IoError : public Error {
 public:
  /// `step` is what was being done ("open", "write", "fsync" …); `error_number` an errno, 0 = none.
  IoError(std::string_view path,
          std::string_view step,
          int error_number,
          std::string_view hint = {});
};

/// Training diverged: too many consecutive updates had a loss or gradient that was not finite.
class PHRASEQ_API DivergenceError : public Error {
 public:
  explicit DivergenceError(std::string_view message, std::string_view hint = {})
      : Error(kExitDivergence, message, hint) {}
};

}  // namespace phraseq
