#pragma once

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// What phraseq can use of this machine: {"system", "processor": {"model", "cores", "usable_cores",
/// "features"}, "memory": {"total_bytes", "available_bytes", "limit_bytes"}, "disk": [{"folder",
/// "free_bytes", "total_bytes", "writable"}], "locale": {"name", "encoding"}, "limits",
/// "environment"}. What cannot be determined is null.
PHRASEQ_API nlohmann::json machine_report();

}  // namespace phraseq
