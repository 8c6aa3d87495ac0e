#pragma once

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/distributed/process_group.h"

namespace phraseq {

/// Throws UsageError on every rank if `mine`, an object of objects or values, is not equal on all
/// ranks; the message lists each difference with the values of two ranks.
PHRASEQ_API void require_agreement(ProcessGroup& processes, const nlohmann::json& mine);

}  // namespace phraseq
