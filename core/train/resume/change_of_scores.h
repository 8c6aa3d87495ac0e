#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Why the scores of an earlier run cannot be compared with those of this one: an option that
/// affects the value of `metric` differs between `table` and `recorded`, the options of a
/// checkpoint, such as 'valid_subset was "valid", now "test"'. Null if they can be compared.
PHRASEQ_API std::optional<std::string> change_of_scores(const OptionTable& table,
                                                        std::string_view metric,
                                                        const nlohmann::json& recorded);

}  // namespace phraseq
