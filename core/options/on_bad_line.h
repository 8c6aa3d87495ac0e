#pragma once

#include "core/io/line_reader.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The names of --on-bad-line.
inline constexpr EnumName<OnBadLine> kOnBadLineNames[] = {
    {"error", OnBadLine::kError}, {"skip", OnBadLine::kSkip}, {"replace", OnBadLine::kReplace}};

}  // namespace phraseq
