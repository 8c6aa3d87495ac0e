#pragma once

#include <span>
#include <string>

#include "core/base/api.h"

namespace phraseq {

/// The items of a list as a choice, for messages: "a", "a or b", "a, b or c".
PHRASEQ_API std::string alternatives(std::span<const std::string> items);

}  // namespace phraseq
