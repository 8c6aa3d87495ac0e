#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// Whether the best score of an earlier run can be compared with those of this one: whether the
/// options that decide what the value of `metric` is are the same in `table` and in `recorded`, the
/// options of a checkpoint. Logs an option that is not.
PHRASEQ_API bool is_best_comparable(const OptionTable& table,
                                    std::string_view metric,
                                    const nlohmann::json& recorded);

}  // namespace phraseq
