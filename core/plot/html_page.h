#pragma once

#include <string>
#include <string_view>

#include "core/base/api.h"

namespace phraseq::plot {

/// The beginning of an HTML page, to <body>, with the style that all pages of phraseq have in
/// common: light or dark as the reader prefers, tables with lines between the rows, and `wide` for
/// elements that scroll horizontally on a small screen.
///
/// `width` is the width of the text, in rem; `style` has the rules of this page alone. Colors are
/// variables: --text, --page, --faint, --rule, --heading-rule, --better and --worse.
PHRASEQ_API std::string html_head(std::string_view title, int width, std::string_view style);

}  // namespace phraseq::plot
