#pragma once

#include <string_view>

#include "core/base/api.h"

namespace phraseq {

/// Whether a pickle may name this class or function ("collections.OrderedDict"): what PyTorch and
/// fairseq write into a checkpoint of a translation model. Names are only recorded and never looked
/// up; because of this list, a file with anything else is rejected rather than only partly
/// understood.
PHRASEQ_API bool is_allowed_global(std::string_view module, std::string_view name);

/// Whether a pickle may call it at all. `getattr` and `getitem` are allowed only for members of
/// fairseq's enumerations and for types: `subject` is the first argument, "" if it is not a global.
PHRASEQ_API bool is_allowed_call(std::string_view callable, std::string_view subject);

}  // namespace phraseq
