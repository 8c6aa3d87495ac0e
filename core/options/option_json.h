#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Every option of a table as data, for programs that write completions and forms:
///
///     {"name", "description", "options": [{"name", "flags": ["-a", "--arch"], "help", "section",
///      "type": "boolean"|"integer"|"number"|"text", "list", "value", "choices", "default",
///      "positional", "required", "bare"}]}
///
/// `value` is the placeholder of the value in the help (FILE, N).
PHRASEQ_API nlohmann::json option_json(const OptionTable& table,
                                       std::string_view name,
                                       std::string_view description);

}  // namespace phraseq
