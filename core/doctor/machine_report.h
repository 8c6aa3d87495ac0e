#pragma once

#include <nlohmann/json.hpp>

#include "core/base/api.h"

namespace phraseq {

/// The resources of this machine: {"system", "processor": {"model", "cores", "usable_cores",
/// "features"}, "memory": {"total_bytes", "available_bytes", "limit_bytes"}, "disk": [{"folder",
/// "free_bytes", "total_bytes", "writable"}], "locale": {"name", "encoding"}, "limits",
/// "environment"}. Values that cannot be determined are null.
PHRASEQ_API nlohmann::json machine_report();

}  // namespace phraseq
