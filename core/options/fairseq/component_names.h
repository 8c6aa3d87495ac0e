#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq::fairseq {

/// Why phraseq does not have a component of fairseq (kind "architecture", name
/// "lstm_luong_wmt_en_de"); empty for a name that fairseq does not have.
PHRASEQ_API std::string_view reason_without(std::string_view kind, std::string_view name);

}  // namespace phraseq::fairseq
