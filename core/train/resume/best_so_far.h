#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// True if the best score of an earlier run can be compared with the scores of this one, that is,
/// if the options that affect the value of `metric` are the same in `table` and in `recorded`, the
/// options of a checkpoint. Logs an option that differs.
PHRASEQ_API bool is_best_comparable(const OptionTable& table,
                                    std::string_view metric,
                                    const nlohmann::json& recorded);

}  // namespace phraseq
