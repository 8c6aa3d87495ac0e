#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::score {

/// The substitutions that mteval's, tercom's and the Chinese tokenizer share. Each is one pass from
/// left to right over the text; matches do not overlap, and digits are ASCII digits. They consider
/// only ASCII, so they work on the bytes of UTF-8 as well as on its characters.

/// Puts a blank on each side of every ASCII symbol except ' , - and .
PHRASEQ_API std::string space_symbols(std::string_view text);
/// `[^0-9][.,]`: puts a blank on each side of the mark.
PHRASEQ_API std::string space_marks_after_a_nondigit(std::string_view text);
/// `[.,][^0-9]`: does the same.
PHRASEQ_API std::string space_marks_before_a_nondigit(std::string_view text);
/// `[0-9]-`: puts a blank on each side of the dash.
PHRASEQ_API std::string space_dashes_after_a_digit(std::string_view text);

/// Applies these four in order: what mteval-v13a.pl calls the language-dependent part.
PHRASEQ_API std::string apply_punctuation_rules(std::string_view text);

/// Decodes `&quot;`, then `&amp;`, then `&lt;`, then `&gt;`: so `&amp;lt;` ends as `<` but
/// `&amp;quot;` as `&quot;`. Other entities stay.
PHRASEQ_API std::string decode_entities(std::string text);

}  // namespace phraseq::score
