#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Explains where an unknown option (its name with dashes) belongs: "it is an option of criterion
/// a; select it with --criterion a"; empty if nothing is known about it.
using ExplainOption = std::function<std::string(const std::string& name)>;

/// Fills the table from the arguments (without the program's name); syntax by
/// Boost.Program_options.
///
/// `--name VALUE`, `--name=VALUE`, `-s VALUE`; booleans as `--name`, `--no-name`, `--name yes|no`;
/// lists as `--name 1,2,3`. Underscores and dashes in names are equivalent. `--config FILE` (INI,
/// one `name = value` per line, sections ignored) is read first, whatever its position, so the
/// command line takes precedence.
///
/// All problems are collected (unknown names with their close matches, values that do not parse or
/// are out of range, missing required ones, `more_problems`), then one UsageError lists them,
/// before anything is changed.
PHRASEQ_API void parse_command_line(
    OptionTable& table,
    std::span<const std::string> arguments,
    const std::function<std::vector<std::string>()>& more_problems = {},
    const ExplainOption& explain_unknown = {});

/// The value of one option as given in `arguments` (--name VALUE or --name=VALUE; the last one
/// counts), otherwise in the file of --config, otherwise `fallback`. Commands call this before they
/// know which plugins' options to describe.
PHRASEQ_API std::string peek_option(std::span<const std::string> arguments,
                                    std::string_view name,
                                    std::string_view fallback);

/// Does the same for an option that `table` describes, under any of its names, such as `-a` for
/// --arch.
PHRASEQ_API std::string peek_option(OptionTable& table,
                                    std::span<const std::string> arguments,
                                    std::string_view name,
                                    std::string_view fallback);

/// Returns all values of a list of strings, as they will be parsed: `peek_list(arguments,
/// "plugin-dir")`.
PHRASEQ_API std::vector<std::string> peek_list(std::span<const std::string> arguments,
                                               std::string_view name);

/// Does the same for an option that `table` describes, under any of its names, such as `-m` for
/// --metrics.
PHRASEQ_API std::vector<std::string> peek_list(OptionTable& table,
                                               std::span<const std::string> arguments,
                                               std::string_view name);

/// Returns true if `arguments` contain a flag, in any spelling.
PHRASEQ_API bool peek_flag(std::span<const std::string> arguments, std::string_view name);

/// Does the same for an option that `table` describes, under any of its names, and also reads the
/// file of --config.
PHRASEQ_API bool peek_flag(OptionTable& table,
                           std::span<const std::string> arguments,
                           std::string_view name);

}  // namespace phraseq
