#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The --help page: usage line, description, then the sections with names, defaults and ranges.
PHRASEQ_API std::string help_text(const OptionTable& table,
                                  std::string_view usage,
                                  std::string_view description);

/// Only the sections of the help page, without usage line and description.
PHRASEQ_API std::string options_text(const OptionTable& table);

/// Lines `name = value  # origin`, which --config can read.
PHRASEQ_API std::string print_config(const OptionTable& table);

/// The help page in Markdown, for docs/options.
PHRASEQ_API std::string markdown_text(const OptionTable& table,
                                      std::string_view title,
                                      std::string_view description);

/// A JSON object of names and values. With `with_origin`, each value is {"value": …, "origin": …}.
PHRASEQ_API nlohmann::json to_json(const OptionTable& table, bool with_origin = false);

/// Sets the options of a component to the values that `values` has for them by name, and ignores
/// values of other options.
PHRASEQ_API void take_own_values(const nlohmann::json& values, Options& options);

/// Sets the options that `json` names; unknown keys and wrong types are listed in one FormatError.
PHRASEQ_API void from_json(OptionTable& table, const nlohmann::json& json, OptionOrigin origin);

/// "name: was VALUE, now VALUE" for each option whose value differs from the recorded one; harmless
/// ones and those named in `allowed` are omitted.
PHRASEQ_API std::vector<std::string> differences(const OptionTable& now,
                                                 const nlohmann::json& recorded,
                                                 std::span<const std::string> allowed = {});

}  // namespace phraseq
