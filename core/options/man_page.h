#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// A manual page (section 1, roff) of the program `phraseq-NAME`, or of `phraseq` if `name` is
/// empty. `usage` follows "phraseq NAME"; the options are described as in --help. Pages contain no
/// date, so all pages of a build are identical.
PHRASEQ_API std::string man_page(const OptionTable& table,
                                 std::string_view name,
                                 std::string_view usage,
                                 std::string_view description);

}  // namespace phraseq
