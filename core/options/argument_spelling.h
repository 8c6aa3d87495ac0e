#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/command_line.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Whether every command accepts a flag without describing it: --help, --version …
PHRASEQ_API bool is_general_flag(std::string_view name);

/// Says where an unknown option (its name with dashes) belongs or what it is called in phraseq;
/// empty if nothing is known about it.
std::string explain_option(const std::string& name,
                           const OptionTable& table,
                           const ExplainOption& explain);

/// The message "unknown option SHOWN" with its explanation or, if there is none, with a guess at
/// what was meant.
std::string unknown_option(std::string_view shown,
                           const std::string& explanation,
                           const std::string& guess);

/// A command line whose flags all have the form `--name=value`.
struct SpelledArguments {
  std::vector<std::string> arguments;
  std::vector<std::string> problems;
  bool has_unknown = false;
};

/// Rewrites all spellings that users may choose to a single one: underscores, aliases and one-dash
/// flags (`-s`, `-tok`), `--flag` and `--no-flag`, a flag's bare value, the next argument as the
/// value, and the arguments after a list of strings up to the next flag. Unknown flags and missing
/// values become problems. Throws PluginError if two options have the same flag.
SpelledArguments spell_out(OptionTable& table,
                           std::span<const std::string> arguments,
                           const ExplainOption& explain = {});

/// "--max_tokens=9" → "max-tokens" and "9"; an argument that is not a flag has an empty name.
struct SplitFlag {
  std::string name;
  bool one_dash = false;
  bool has_value = false;
  std::string value;
};
/// Splits an argument at its first "=".
SplitFlag split_flag(std::string_view argument);

}  // namespace phraseq
