#pragma once

#include "core/options/option_table.h"

namespace phraseq {

/// A switch whose default depends on other settings.
enum class AutoSwitch { kAuto, kYes, kNo };

inline constexpr EnumName<AutoSwitch> kAutoSwitchNames[] = {
    {"auto", AutoSwitch::kAuto}, {"yes", AutoSwitch::kYes}, {"no", AutoSwitch::kNo}};

}  // namespace phraseq
