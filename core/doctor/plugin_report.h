#pragma once

#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// Loads every plugin of the folders, all in one child process, so that a damaged library cannot
/// crash this one: {"folders", "files": [{"file", "name", "version", "components"} or {"file",
/// "problem"}], "problem": one of the folders, or null}. A plugin that ends or blocks the child is
/// reported with the signal, and the others are still examined.
PHRASEQ_API nlohmann::json plugin_report(std::span<const std::string> folders);

}  // namespace phraseq
