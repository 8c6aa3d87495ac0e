#pragma once

#include <string>

#include "core/base/api.h"

namespace phraseq::fairseq {

/// The page docs/guide/fairseq_flags.md: every flag, and how phraseq treats it.
PHRASEQ_API std::string flag_page();

}  // namespace phraseq::fairseq
