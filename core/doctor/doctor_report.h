#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// The complete report of `phraseq doctor`: {"phraseq", "machine", "plugins", "training",
/// "problems": [{"part", "text"}], "exit_code"}. The exit code is 0 = no problem, 1 = the training
/// step failed, 5 = a plugin cannot be used, 6 = disk, memory or a limit; the first of these that
/// applies.
PHRASEQ_API nlohmann::json doctor_report(std::span<const std::string> plugin_folders,
                                         const std::string& programs);

/// The report as a page for people.
PHRASEQ_API std::string doctor_page(const nlohmann::json& report);

}  // namespace phraseq
