#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq::fairseq {

/// Why a component of fairseq ("lstm_luong_wmt_en_de", kind "architecture") is not available; empty
/// for a name that fairseq does not have.
PHRASEQ_API std::string_view reason_without(std::string_view kind, std::string_view name);

}  // namespace phraseq::fairseq
