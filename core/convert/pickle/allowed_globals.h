#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Whether a pickle may name this class or function ("collections.OrderedDict"): what PyTorch and
/// fairseq write into a checkpoint of a translation model. Names are records and never looked up;
/// the list exists so that a file with anything else is rejected instead of half understood.
PHRASEQ_API bool is_allowed_global(std::string_view module, std::string_view name);

/// Whether a pickle may call it at all. `getattr` and `getitem` are for members of fairseq's
/// enumerations and for types alone: `subject` is the first argument, "" when it is no global.
PHRASEQ_API bool is_allowed_call(std::string_view callable, std::string_view subject);

}  // namespace phraseq
